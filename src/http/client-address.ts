import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/**
 * Who is at the other end. `X-Forwarded-For` can be written by anyone, so it is read only when the connection itself
 * comes from a proxy that the operator named, and from the right: each proxy appends whom it saw, so the last entry that
 * no trusted proxy wrote is the client. Everything to the left of it is what the client claims.
 */

/** More proxies in a row than anyone has. A longer list is the client's own and is not walked to its end. */
const hopLimit = 16;

/** One spelling for each address: IPv4 inside IPv6 as IPv4, IPv6 shortened. Undefined for what is no address. */
function canonicalize(text: string): string | undefined {
  const address = text.includes('%') ? text.slice(0, text.indexOf('%')) : text;
  switch (isIP(address)) {
    case 4:
      return address;
    case 6: {
      const short = new SocketAddress({ address, family: 'ipv6' }).address;
      const mapped = short.startsWith('::ffff:') ? short.slice('::ffff:'.length) : short;
      return isIP(mapped) === 4 ? mapped : short;
    }
    default:
      return undefined;
  }
}

function addEntry(proxies: BlockList, entry: string): boolean {
  const [text = '', prefix, ...rest] = entry.split('/');
  const address = rest.length > 0 || text.includes('%') ? undefined : canonicalize(text);
  if (address === undefined) return false;
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const longest = family === 'ipv4' ? 32 : 128;
  if (prefix === undefined) {
    proxies.addAddress(address, family);
    return true;
  }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) return false;
  proxies.addSubnet(address, Number(prefix), family);
  return true;
}

/** @throws with one line for the operator when an entry is neither an address nor a range */
export function parseProxies(entries: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const entry of entries) {
    if (addEntry(proxies, entry)) continue;
    throw new Error(`TRUSTED_PROXIES has ${entry}, which is neither an address nor a range like 10.0.0.0/8`);
  }
  return proxies;
}

/** @returns the client's address in its one spelling; the nearest known one where the list holds something else */
export function findClient(peer: string, forwardedFor: string, proxies: BlockList): string {
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  let client = canonicalize(peer) ?? '';
  let end = forwardedFor.length;
  for (let hop = 0; hop < hopLimit && end > 0 && client !== '' && isTrusted(client); hop += 1) {
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
