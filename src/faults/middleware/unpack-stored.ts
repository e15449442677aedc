import 'server-only';

import { unpackBody } from '#src/server/http/unpack-body.ts';

/**
 * The body of `/store/`: an event as JSON. Clients from before 2018 (raven for Python, PHP, Ruby) packed it with zlib and wrote
 * that as base64, and said none of it in a header.
 */
const limit = 20 * 1024 * 1024;
const openingBrace = 0x7b;
/** As many bytes as are looked at to tell base64 from something else. */
const lookedAt = 64;

function isBase64(body: Uint8Array): boolean {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, lookedAt)).toString('latin1');
  return start.length > 0 && /^[\w+/=\r\n-]+$/.test(start);
}

/** What it is when it is not packed: whoever parses it says so. */
export async function unpackStored(body: Uint8Array): Promise<Uint8Array> {
  if (body.length === 0 || body[0] === openingBrace || !isBase64(body)) return inflate(body);
  return inflate(Buffer.from(Buffer.from(body).toString('latin1'), 'base64'));
}

async function inflate(body: Uint8Array): Promise<Uint8Array> {
  // RFC 1950: the first byte of zlib's usual window.
  if (body[0] !== 0x78) return body;
  const unpacked = await unpackBody(body, 'deflate', limit);
  return typeof unpacked === 'string' ? body : unpacked;
}
