import 'server-only';

import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

import { canonicalize, isListed } from '#src/server/environment/address-range.ts';

/**
 * Addresses inside: this machine, its network, and what clouds put there (their metadata service is at 169.254.169.254). A channel
 * reaches them only when the operator said so. The check is made on the address that is connected to, after the name was looked up:
 * so a name that leads inside is refused, too, and one that changes between two look-ups is checked each time.
 */
const inside = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  inside.addSubnet(address, prefix, 'ipv4');
}
for (const [address, prefix] of [
  // Nothing, this machine, and the oldest way to write an IPv4 address: `[::127.0.0.1]`.
  ['::', 96],
  // They hold an IPv4 address, too: translated ones (RFC 2765), NAT64 and its local form (RFC 8215), Teredo, 6to4.
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  // The last are the sites of before 2004 (RFC 3879): systems still route them inside.
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  inside.addSubnet(address, prefix, 'ipv6');
}

export function isInside(address: string): boolean {
  const plain = canonicalize(address);
  if (plain === undefined) return true;
  return isListed(inside, plain);
}

/** No later attempt ends otherwise while the channel is as it is. */
export class InsideError extends Error {
  override name = 'InsideError';
}

function refuse(hostname: string): InsideError {
  return new InsideError(`${hostname} is an address inside, and this channel may not reach those`);
}

/** What leads inside wherever it is looked up: an address inside, and `localhost` (RFC 6761). @param hostname as `URL` gives it */
export function isInsideHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return isInside(address);
  return /(?:^|\.)localhost\.?$/.test(hostname);
}

/** For `http.request`, which does not look up what is an address already. @throws when it is one inside */
export function checkHost(hostname: string): void {
  if (isInsideHost(hostname)) throw refuse(hostname);
}

/** Looks a name up as Node does, and gives an error when one of its addresses is inside. */
export const lookUpOutside: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { readonly all: true } = { ...options, all: true };
  lookUp(hostname, all, (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => {
    const [first] = found ?? [];
    if (error) return callback(error, '');
    if (!first || found.some(({ address }) => isInside(address))) return callback(refuse(hostname), '');
    if (options.all === true) return callback(null, found);
    return callback(null, first.address, first.family);
  });
};
