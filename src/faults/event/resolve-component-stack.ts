import 'server-only';

import type { StackFrame } from '#report/stack.ts';

import { resolveAppFrames } from '../source-maps/resolve-app-frames.ts';

/** Its scripts are named by their paths: `    at c (/assets/index.js:1:2)`. */
const componentLine = /^(\s*at )([^\n]{0,256}?) ?\((\/[^\s()]+):(\d{1,9}):(\d{1,9})\)$/;
/** As of a stack of calls. Further out is the app's frame, which every page shares. */
const linesResolved = 50;

type Line = { readonly text: string; readonly start: string; readonly frame: StackFrame | undefined };

function readLine(text: string): Line {
  const [, start = '', fn = '', file, line, column] = componentLine.exec(text) ?? [];
  if (file === undefined) return { text, start, frame: undefined };
  return { text, start, frame: { fn, file, line: Math.max(1, Number(line)), column: Math.max(1, Number(column)) } };
}

/** React's component stack, with each script's path and position replaced by the place in the source. Never throws. */
export async function resolveComponentStack(app: string, release: string, stack: string): Promise<string> {
  const lines = stack.split('\n').map(readLine);
  const asked = lines.flatMap(({ frame }) => frame ?? []).slice(0, linesResolved);
  if (asked.length === 0) return stack;
  const resolved = await resolveAppFrames(app, release, asked);
  const found = new Map(asked.map((frame, index) => [frame, resolved[index]]));
  return lines
    .map(({ text, start, frame }) => {
      const place = frame && found.get(frame);
      if (place?.source === undefined) return text;
      return `${start}${place.fn || frame?.fn} (${place.source}:${place.line}:${place.column})`;
    })
    .join('\n');
}
