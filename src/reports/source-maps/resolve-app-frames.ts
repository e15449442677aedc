import 'server-only';

import { resolveBrowserFrames } from '#src/reports/client-maps.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { StackFrame } from '#src/runtime/errors/stack.ts';
import { ownApp } from '#src/store/own-app.ts';

/** A frame as an SDK sent it. `debugId` names the file's map, where the SDK knows it. */
export type FrameToResolve = StackFrame & { readonly debugId?: string };

function isOwnCode(file: string): boolean {
  return file !== '' && !file.startsWith('node:') && !file.includes('node_modules/');
}

function keepFrame({ debugId: _, ...frame }: FrameToResolve): SourceFrame {
  return { ...frame, inApp: isOwnCode(frame.file) };
}

/**
 * Frames with the names and places of the source, innermost first in and out. A frame without a map comes back as it
 * is; then its path says whether it is the app's own code. Never throws, and ends in time: after a deadline the frames
 * come back unresolved.
 *
 * @param release as the SDK named it; empty when it did not
 */
export async function resolveAppFrames(
  app: string,
  release: string,
  frames: readonly FrameToResolve[],
): Promise<readonly SourceFrame[]> {
  void release;
  if (app !== ownApp) return frames.map(keepFrame);
  return resolveBrowserFrames(frames, process.cwd());
}
