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
