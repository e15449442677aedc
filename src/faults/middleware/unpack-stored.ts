import 'server-only';

import { unpackBody } from '#src/server/http/unpack-body.ts';

/**
 * The body of `/store/`: an event as JSON. Clients from before 2018 (raven for Python, PHP, Ruby) packed it with zlib and wrote
 * that as base64, and said none of it in a header.
 */
const openingBrace = 0x7b;
/** As many bytes as are looked at to tell base64 from something else. */
const lookedAt = 64;

function isBase64(body: Uint8Array): boolean {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, lookedAt)).toString('latin1');
  return start.length > 0 && /^[\w+/=\r\n-]+$/.test(start);
}

export function isPackedAgain(body: Uint8Array): boolean {
  return body.length > 0 && body[0] !== openingBrace;
}

/** What it is when it is not packed, or when it is larger than `limit` bytes: whoever parses it says so. */
export async function unpackStored(body: Uint8Array, limit: number): Promise<Uint8Array> {
  if (!isPackedAgain(body)) return body;
  if (!isBase64(body)) return inflate(body, limit);
  return inflate(Buffer.from(Buffer.from(body).toString('latin1'), 'base64'), limit);
}

async function inflate(body: Uint8Array, limit: number): Promise<Uint8Array> {
  // RFC 1950: the first byte of zlib's usual window.
  if (body[0] !== 0x78) return body;
  const unpacked = await unpackBody(body, 'deflate', limit);
  return typeof unpacked === 'string' ? body : unpacked;
}
