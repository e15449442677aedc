import 'server-only';

import { understandError } from '#src/runtime/errors/error-record.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { parseStack } from '#report/stack.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { Cause } from '../kept/error-details.ts';
import { resolveAppFrames } from '../source-maps/resolve-app-frames.ts';
import type { StoredCause } from '../kept/stored-json.ts';

/**
 * Frames as they are shown: a map may have been uploaded after the error was stored, and the stacks of causes are stored as text.
 * Nothing is written back: which fault an error belongs to was decided when it came.
 */

/** Whether a map could say more of it. Node's own code has none. */
function canBeResolved({ source, file }: SourceFrame): boolean {
  return source === undefined && file !== '' && !file.startsWith('node:');
}

/** Frames with what maps say by now. Those that had their place in the source when they were stored keep it. */
export async function resolveShown(
  app: string,
  release: string,
  frames: readonly SourceFrame[],
): Promise<readonly SourceFrame[]> {
  const unresolved = frames.filter(canBeResolved);
  if (unresolved.length === 0) return frames;
  const resolved = await resolveAppFrames(app, release, unresolved);
  const known = new Map(unresolved.map((frame, index) => [frame, resolved[index]]));
  return frames.map((frame) => {
    const found = known.get(frame);
    return found?.source === undefined ? frame : found;
  });
}

type Thrower = { readonly side: 'server' | 'browser'; readonly app: string; readonly release: string };

/** Only the build that threw it has the maps of its server. */
function isOfThisServer({ side, app, release }: Thrower): boolean {
  return side === 'server' && app === ownApp && release === (import.meta.env.WAKU_BUILD_ID ?? '');
}

async function resolveCause(thrower: Thrower, cause: StoredCause): Promise<readonly SourceFrame[]> {
  const { app, release } = thrower;
  if (cause.frames) return resolveShown(app, release, cause.frames);
  if (isOfThisServer(thrower)) return understandError(cause, []).frames;
  return resolveAppFrames(app, release, parseStack(cause.stack, cause.message));
}

/** The causes of an error with the frames of their stacks. */
export async function resolveCauses(thrower: Thrower, causes: readonly StoredCause[]): Promise<Cause[]> {
  const resolved: Cause[] = [];
  for (const cause of causes) {
    resolved.push({ ...cause, frames: await resolveCause(thrower, cause) });
  }
  return resolved;
}
