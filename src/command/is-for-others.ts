import { isLoopbackName } from '#src/server/environment/reachability.ts';
import type { SeenRequest } from '#src/proxy/watch.ts';

/** The value of a header by its name in lower case; of one that came twice the first. */
function readHeader(headers: readonly string[], name: string): string {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) return headers[at + 1] ?? '';
  }
  return '';
}

function readFirst(list: string): string {
  return list.split(',', 1)[0]?.trim() ?? '';
}

/** Understands IPv4 addresses as sockets of both families name them, too. */
function isLoopback(address: string): boolean {
  return isLoopbackName(address.replace(/^::ffff:/i, ''));
}

/**
 * Whether a reverse proxy on this machine forwards what somebody elsewhere asked. It says for whom it asks; where it says no address, by
 * which name. Who is on this machine may say so, too, and has less recorded of it.
 */
export function isForOthers({ peer, headers }: Pick<SeenRequest, 'peer' | 'headers'>): boolean {
  if (!isLoopback(peer)) return false;
  const client = readFirst(readHeader(headers, 'x-forwarded-for'));
  if (client !== '') return !isLoopback(client);
  const asked = readFirst(readHeader(headers, 'x-forwarded-host'));
  const isForwarded = asked !== '' || readHeader(headers, 'x-forwarded-proto') !== '';
  const host = URL.parse(`http://${asked || readHeader(headers, 'host')}`)?.hostname;
  return isForwarded && host !== undefined && !isLoopbackName(host);
}
