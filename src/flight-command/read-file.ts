import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import { maxFlightBytes } from '#flight';

/** The bytes of a file, `-` for standard input. @throws Error for a folder, a file that is not there or too large */
export async function readFileBytes(file: string, maxBytes = maxFlightBytes): Promise<Uint8Array> {
  if (file !== '-') {
    const facts = await stat(file);
    if (facts.isDirectory()) throw new Error('it is a folder');
  }
  const pieces: Buffer[] = [];
  let size = 0;
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
