import { lowerName, readConnectionNames } from './request-head.ts';
import type { ResponseHead } from './read-response.ts';

/**
 * The headers of a response that the client gets: all in their order and spelling, but those of the upstream's connection. Node
 * adds those of the client's connection behind them.
 * @param hasTrailers `Trailer` announces what only a chunked body has
 */
export function selectHeaders(headers: readonly string[], hasTrailers: boolean): readonly string[] {
  const dropped = readConnectionNames(headers);
  let kept: string[] | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const lower = lowerName(name);
    if (dropped.has(lower) || (!hasTrailers && lower === 'trailer')) kept ??= headers.slice(0, at);
    else kept?.push(name, headers[at + 1] ?? '');
  }
  return kept ?? headers;
}

/** For an answer that Node does not write: 1xx, where nothing is the connection's but what 101 says of the new protocol. */
export function writeResponseHead({ status, reason, headers }: ResponseHead): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${text}\r\n`;
}
