import 'server-only';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

/** Where it was thrown, in a few words: the project's own innermost frame, else the route or the path. */
export function readCulprit(frames: readonly SourceFrame[], place: string): string {
  const frame = frames.find(({ inApp }) => inApp);
  if (!frame) return place;
  const file = frame.source ?? frame.file;
  return frame.fn === '' ? file : `${file} · ${frame.fn}`;
}
