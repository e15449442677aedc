import { inflateRawSync } from 'node:zlib';

import type { StoredFlight } from './flight-columns.ts';
import { toShownFields } from './read-columns.ts';
import type { StoredAttachment, StoredBody } from './stored-tables.ts';

/** The recorder keeps at most 1 MiB of a body. Compressed data that yields more was not written by it. */
const bodyLimit = 2 * 1024 * 1024;

type Encoded = Pick<StoredBody | StoredAttachment, 'encoding' | 'data'>;

export function decodeStored({ encoding, data }: Encoded): Uint8Array {
  switch (encoding) {
    case 'deflate':
      return inflateRawSync(data, { maxOutputLength: bodyLimit });
    case 'identity':
      return data;
  }
}

/**
 * A flight's row, its content and what belongs to it alone, put together: for pages, and for a flight that is sent elsewhere. `elided` are
 * names alone.
 */
export function joinStoredFlight(
  row: StoredFlight,
  body: Encoded | undefined,
  attached: readonly StoredAttachment[],
  now: number,
) {
  const args = attached.find(({ role }) => role === 'arguments');
  const debug = attached.find(({ role }) => role === 'debug');
  return {
    ...toShownFields(row, now),
    body: body ? decodeStored(body) : new Uint8Array(),
    debug: debug && decodeStored(debug),
    args: args && {
      contentType: args.type,
      bytes: args.bytes,
      kept: decodeStored(args),
      isCut: args.bytes > args.kept_bytes,
    },
  };
}
