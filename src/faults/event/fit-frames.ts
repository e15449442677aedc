import 'server-only';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

/** Frames of an error and of its causes, as many as a row has room for. */

/** In bytes, of an error and its causes together. 50 frames are some 8 KiB, the source lines of five of them 4 KiB. */
export const framesJsonLimit = 48 * 1024;

function countJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The innermost stay; source lines go first when there is too much. */
export function fitFrames(frames: readonly SourceFrame[], room: number): readonly SourceFrame[] {
  if (countJson(frames) <= room) return frames;
  const kept: SourceFrame[] = [];
  let bytes = 2;
  for (const frame of frames) {
    const { context: _, ...plain } = frame;
    bytes += countJson(plain) + 1;
    if (bytes > room) break;
    kept.push(plain);
  }
  return kept;
}

type Framed = { readonly frames: readonly SourceFrame[] };

/**
 * The causes get the room that the frames of the error itself leave, the outermost first.
 * @param framesJson those of the error itself
 */
export function formatCauses(causes: readonly Framed[], framesJson: string): string {
  let left = framesJsonLimit - Buffer.byteLength(framesJson);
  const fitted = causes.map((cause) => {
    const { frames, ...told } = cause;
    const kept = fitFrames(frames, left);
    if (kept.length === 0) return told;
    left -= countJson(kept);
    return { ...told, frames: kept };
  });
  return JSON.stringify(fitted);
}
