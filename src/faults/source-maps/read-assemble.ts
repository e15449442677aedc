import 'server-only';

import { asRecord, asText, parseJson } from '#src/faults/receive/untrusted-json.ts';

import { isChunkId } from './keep-chunks.ts';
import { uploadLimits } from './limits.ts';

/** What the CLI asks to have put together. */
export type AssembleRequest = {
  readonly checksum: string;
  readonly chunks: readonly string[];
  /** Empty where none is named. */
  readonly release: string;
  readonly dist: string;
};

const mostChunks = Math.ceil(uploadLimits.bundleBytes / uploadLimits.chunkBytes);

function isChunkList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && isChunkId(one));
}

/** A reason, in words for whoever uploads, when it is not one. */
export function readAssemble(body: Uint8Array): AssembleRequest | string {
  const request = asRecord(parseJson(new TextDecoder().decode(body)));
  if (!request) return 'the body is not a JSON object';
  const { checksum, chunks, version, dist } = request;
  if (typeof checksum !== 'string' || !isChunkId(checksum)) return 'checksum is not a SHA-1 in hex';
  if (!isChunkList(chunks) || chunks.length === 0) return 'chunks is not a list of SHA-1 in hex';
  if (chunks.length > mostChunks) return `the bundle has more than ${uploadLimits.bundleBytes} bytes`;
  const isLong = [version, dist].some((name) => typeof name === 'string' && name.length > uploadLimits.longestRelease);
  if (isLong) return 'the name of the release is too long';
  const [release, ofDist] = [version, dist].map((name) => asText(name, uploadLimits.longestRelease) ?? '');
  return { checksum, chunks, release: release ?? '', dist: ofDist ?? '' };
}
