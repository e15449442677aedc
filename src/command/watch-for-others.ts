import { isLoopbackName } from '#src/server/environment/reachability.ts';
import type { SeenRequest, Watch } from '#src/proxy/watch.ts';

import { complain } from './usage.ts';

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
function isForOthers({ peer, headers }: Pick<SeenRequest, 'peer' | 'headers'>): boolean {
  if (!isLoopback(peer)) return false;
  const client = readFirst(readHeader(headers, 'x-forwarded-for'));
  if (client !== '') return !isLoopback(client);
  const asked = readFirst(readHeader(headers, 'x-forwarded-host'));
  const isForwarded = asked !== '' || readHeader(headers, 'x-forwarded-proto') !== '';
  const host = URL.parse(`http://${asked || readHeader(headers, 'host')}`)?.hostname;
  return isForwarded && host !== undefined && !isLoopbackName(host);
}

/**
 * Looks at each request until the first that a proxy on this machine forwards for somebody elsewhere, and says what changes with it.
 * @param noteOthers returns whether less is recorded from now on
 */
export function watchForOthers(watch: Watch, noteOthers: () => boolean): Watch {
  let isKnown = false;
  return (request) => {
    if (!isKnown && isForOthers(request)) {
      isKnown = true;
      if (noteOthers()) {
        complain(
          'others reach the app through a proxy on this machine: only failures are kept from now on, as RECORD is not set',
        );
      }
    }
    return watch(request);
  };
}
