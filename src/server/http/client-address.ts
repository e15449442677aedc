import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

import { canonicalize, isListed, parseRange } from '#src/server/environment/address-range.ts';

/**
 * The client's address. Anyone can write `X-Forwarded-For`, so it is read only when the connection itself comes from a
 * proxy that the operator named, and from the right: each proxy appends the address that it saw, so the first entry from
 * the right that is no trusted proxy is the client. Everything to the left of it is what the client says.
 */

/** More proxies in a row than anyone has. A longer list was made by the client and is not read to its end. */
const hopLimit = 16;

/** @throws with one line for the operator when an entry is neither an address nor a range */
export function parseProxies(entries: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const entry of entries) {
    const range = parseRange(entry);
    if (!range) {
      throw new Error(`TRUSTED_PROXIES has ${entry}, which is neither an address nor a range like 10.0.0.0/8`);
    }
    proxies.addSubnet(range.address, range.prefix, range.family);
  }
  return proxies;
}

/** @returns the client's address in its one spelling; the nearest known one where the list holds something else */
export function findClient(peer: string, forwardedFor: string, proxies: BlockList): string {
  let client = canonicalize(peer) ?? '';
  let end = forwardedFor.length;
  for (let hop = 0; hop < hopLimit && end > 0 && client !== '' && isListed(proxies, client); hop += 1) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const entry = forwardedFor.slice(comma + 1, end).trim();
    const address = entry.includes('%') ? undefined : canonicalize(entry);
    if (address === undefined) break;
    client = address;
    end = comma;
  }
  return client;
}

/**
 * @param entries of `TRUSTED_PROXIES`; with none the connection's own address is the answer
 * @throws see `parseProxies`
 */
export function createAddressReader(entries: readonly string[]): (incoming: IncomingMessage) => string {
  const proxies = parseProxies(entries);
  return function readAddress(incoming) {
    const peer = incoming.socket.remoteAddress ?? '';
    const forwardedFor = incoming.headers['x-forwarded-for'];
    return findClient(peer, typeof forwardedFor === 'string' ? forwardedFor : '', proxies);
  };
}
