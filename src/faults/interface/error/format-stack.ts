import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

/** `src/pages/index.tsx:12:9`, or the built file where the source is not known. */
export function formatLocation(frame: SourceFrame): string {
  return `${frame.source ?? frame.file}:${frame.line}:${frame.column}`;
}

/** The stack as V8 would write it, with sources in place of built files: for an issue or a chat. */
export function formatStack(error: { name: string; message: string; frames: readonly SourceFrame[] }): string {
  const frames = error.frames.map((frame) => {
    const location = formatLocation(frame);
    return frame.fn ? `    at ${frame.fn} (${location})` : `    at ${location}`;
  });
  return [`${error.name}: ${error.message}`, ...frames].join('\n');
}

/**
 * The project's innermost frame, which is the one to read first. The runtime's own frames come second, because the
 * runtime throws about its caller. Undefined when no frame is the project's.
 */
export function findTellingFrame(frames: readonly SourceFrame[]): SourceFrame | undefined {
  const own = frames.filter((frame) => frame.inApp);
  return own.find((frame) => !frame.source?.startsWith('src/runtime/')) ?? own[0];
}

export type FrameRun =
  | { readonly type: 'own'; readonly frame: SourceFrame }
  | { readonly type: 'foreign'; readonly frames: readonly SourceFrame[] };

/**
 * Splits the stack: each frame of the project by itself, and the frames between them (React, dependencies, Node)
 * together.
 */
export function groupFrames(frames: readonly SourceFrame[]): FrameRun[] {
  const runs: FrameRun[] = [];
  let foreign: SourceFrame[] = [];
  function flush() {
    if (foreign.length > 0) runs.push({ type: 'foreign', frames: foreign });
    foreign = [];
  }
  for (const frame of frames) {
    if (frame.inApp) {
      flush();
      runs.push({ type: 'own', frame });
    } else {
      foreign.push(frame);
    }
  }
  flush();
  return runs;
}

/** `react-dom`, `@scope/name`, `Node`; undefined where the file does not say whose it is. */
function namePackage({ source, file }: SourceFrame): string | undefined {
  const path = (source ?? file).replaceAll('\\', '/');
  if (path.startsWith('node:')) return 'Node';
  // The last folder is the innermost: packages have packages of their own, and pnpm's folders repeat the name.
  const [, name] = /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name;
}

/** `12 frames of react-dom`: whose frames these are that are not the project's own. */
export function describeForeign(frames: readonly SourceFrame[]): string {
  const count = frames.length === 1 ? 'One frame' : `${frames.length} frames`;
  const names = new Set(frames.map(namePackage));
  const known = [...names].filter((name) => name !== undefined);
  const isBuilt = known.length === 0 && frames.every(({ source }) => source === undefined);
  if (isBuilt) return `${count} of built files, without a source map`;
  if (names.has(undefined) || known.length > 3) return `${count} of React, dependencies or Node`;
  return `${count} of ${known.length < 2 ? known.join('') : `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`}`;
}
