import 'server-only';

import type { SourceFrame } from './source-maps.ts';

/**
 * What counts of a stack: the project's own frames as file and function, without what a rebuild, another machine or another
 * depth of a recursion changes.
 */
export type FrameToGroup = {
  readonly file: string;
  readonly fn: string;
  /** Of its source, on one line; empty where it is not known, or tells nothing. */
  readonly text: string;
};

const framesCounted = 8;
/** Also names that bundles give. */
const anonymous = new Set(['?', '<anonymous>', '(anonymous)', 'anonymous', 'eval']);

/** Rolldown renames functions with the same name to `fn$1`, `fn$2`, in an order that any other file can change. */
function stableName(fn: string): string {
  const name = fn
    .replace(/\$\d+/g, '')
    .replace(/ \[as [^\]]*\]$/, '')
    .replace(/^async /, '')
    .replace(/^(?:Object|Module|Function|exports)\./, '');
  return anonymous.has(name) ? '' : name;
}

/** Vite's have eight characters of base64url, others hex digits. A word of a name has no digit, and its capitals begin syllables. */
function isContentHash(text: string): boolean {
  if (/^(?=[a-f]*\d)[0-9a-f]{6,64}$/i.test(text)) return true;
  if (!/^[\w-]{8}$|^[\w-]{16,32}$/.test(text)) return false;
  return /\d/.test(text) || (/[A-Z]/.test(text) && /[a-z]/.test(text) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(text));
}

/** `index-4f3c2a.js` → `index.js`, `main.4f3c2a1b.chunk.js` → `main.chunk.js` */
function withoutContentHash(name: string): string {
  const [first = '', ...rest] = name.split('.');
  const kept = rest.filter((part) => !isContentHash(part));
  // The eight characters of base64url may begin with or contain a hyphen.
  const cut = /^(.+?)-([\w-]{8})$/.exec(first) ?? /^(.+)-(\w+)$/.exec(first);
  const stem = cut?.[1] !== undefined && isContentHash(cut[2] ?? '') ? cut[1] : isContentHash(first) ? '<hash>' : first;
  return [stem, ...kept].join('.');
}

/** The file of a frame that no map resolved: a URL or a path on some machine. */
function stableFile(file: string): string {
  const path = file
    .replace(/[?#].*$/, '')
    .replace(/^[a-z][a-z\d+.-]{1,30}:\/\/[^/]*/i, '')
    // `webpack-internal:///(rsc)/./app/page.tsx`
    .replace(/^\/?\([\w-]+\)\//, '')
    .replace(/^\.?\//, '');
  const segments = path.split('/');
  const name = withoutContentHash(segments.pop() ?? '');
  const folders = segments.map((folder) => (/^\d+$/.test(folder) || isContentHash(folder) ? '<n>' : folder));
  return [...folders, name].join('/');
}

/** A longer one is a bundle's, and has the whole file. */
const longestLine = 120;
/** `throw new Error(` with what it throws below it. */
const linesJoined = 3;

/** The line that failed, without its indentation. A call whose arguments begin on the next line goes on there. */
function readLine({ context, line }: SourceFrame): string {
  let text = '';
  for (let at = 0; at < linesJoined; at += 1) {
    const next = context?.lines[line - context.firstLine + at];
    if (next === undefined) break;
    text += next.length > longestLine * 2 ? next : next.trim().replace(/\s+/g, ' ');
    if (!text.endsWith('(')) break;
  }
  return text.length > longestLine ? '' : text;
}

/** A minified name of one or two letters changes with every build. */
function toFrame(frame: SourceFrame): FrameToGroup {
  const { fn, file, source } = frame;
  const [name, text] = [stableName(fn), readLine(frame)];
  if (source === undefined) return { file: stableFile(file), fn: name.length <= 2 ? '' : name, text };
  return { file: source, fn: name, text };
}

function isSame(a: FrameToGroup | undefined, b: FrameToGroup | undefined): boolean {
  return a !== undefined && b !== undefined && a.file === b.file && a.fn === b.fn;
}

/** How often a recursion repeats, and where in its circle the stack overflowed, depends on the values. */
function collapseRecursion(frames: readonly FrameToGroup[]): readonly FrameToGroup[] {
  for (let period = 1; period <= 4; period += 1) {
    const repeats = frames.every((frame, at) => at < period || isSame(frame, frames[at - period]));
    if (frames.length <= 2 * period || !repeats) continue;
    const circle = frames.slice(0, period);
    const keys = circle.map(({ file, fn }) => `${file}|${fn}`);
    const start = keys.indexOf(keys.toSorted()[0] ?? '');
    // Where it overflowed is chance, and so is which line that was.
    return [...circle.slice(start), ...circle.slice(0, start)].map((frame) => ({ ...frame, text: '' }));
  }
  let collapsed = frames;
  for (let length = 1; length <= 4; length += 1) collapsed = dropRepeats(collapsed, length);
  return collapsed;
}

/** Keeps the first of equal runs of `length` frames, one after the other. */
function dropRepeats(frames: readonly FrameToGroup[], length: number): readonly FrameToGroup[] {
  const kept: FrameToGroup[] = [];
  for (let at = 0; at < frames.length;) {
    const run = frames.slice(at, at + length);
    const isRepeat = run.length === length && run.every((frame, i) => isSame(frame, kept[kept.length - length + i]));
    if (isRepeat) at += length;
    else {
      const [frame] = run;
      if (frame) kept.push(frame);
      at += 1;
    }
  }
  return kept;
}

/** Says whether the frame is the engine's own: `Array.map (<anonymous>)` in Chrome, `map@[native code]` in Safari, nothing in Firefox. */
function isEngine({ file, source }: SourceFrame): boolean {
  return source === undefined && /^(?:<anonymous>|native|\[?native code\]?)$/.test(file);
}

function nameAnywhere({ fn, source }: SourceFrame): string {
  // Firefox calls a function without a name `load/<` that stands in `load`. Safari has names for what stands in no function.
  if (fn.endsWith('<') || /^(?:global|module|eval) code$/.test(fn)) return '';
  const name = fn.replace(/^(?:async |new )+/, '');
  if (source !== undefined) return name;
  // V8 puts the class before the method. A minified one is another letter in the next build, and other browsers do not name it.
  const parts = name.split('.');
  return parts.filter((part) => part.length > 2).join('.') || (parts.at(-1) ?? '');
}

/** Turbopack's on a server (`_0a1b2c3d._.js`, `[root-of-the-server]__0a1b2c3d._.js`), and esbuild's without a digit. */
const hashInName = /(?:_(?=[a-f]*\d)[0-9a-f]{8}|-[A-Z2-7]{8})(?=(?:\._)?\.[cm]?js(?:[?#]|$))/;

/** Frames as each browser and each build tells them. */
export function asAnywhere(frames: readonly SourceFrame[]): readonly SourceFrame[] {
  return frames
    .filter((frame) => !isEngine(frame))
    .map((frame) => ({
      ...frame,
      fn: nameAnywhere(frame),
      // Each load of a page gives a script made of a blob another address.
      file: frame.file.startsWith('blob:') ? 'blob:' : frame.file.replace(hashInName, ''),
    }));
}

/** What compilers make of `async`: TypeScript's and Babel's. */
const asyncHelpers = new Set([
  '__awaiter',
  'fulfilled',
  'rejected',
  'asyncGeneratorStep',
  '_asyncToGenerator',
  '_next',
  '_throw',
]);

/** `(async () => await load())()` around a call adds such a frame, and is no other fault. */
function isWrapper({ fn }: SourceFrame): boolean {
  const name = stableName(fn);
  return name === '' || name.startsWith('anonymous in ') || asyncHelpers.has(name);
}

/** Leaves out functions that have no name of their own, but for the one that failed. */
export function withoutWrappers(frames: readonly SourceFrame[]): readonly SourceFrame[] {
  const innermost = frames.find(({ inApp }) => inApp);
  return frames.filter((frame) => frame === innermost || !frame.inApp || !isWrapper(frame));
}

/** The innermost of the project's own frames; none when they say nothing, as those of a minified bundle without a map. */
export function readFramesToGroup(frames: readonly SourceFrame[]): readonly FrameToGroup[] {
  const own = frames.filter(({ inApp }) => inApp);
  const telling = own.some(({ source }) => source !== undefined);
  const named = own.map(toFrame);
  if (!telling && named.every(({ fn, text }) => fn === '' && text === '')) return [];
  return collapseRecursion(named).slice(0, framesCounted);
}

/** Reads the innermost frame, whoever's it is, of an error that says nothing else. */
export function readInnermostFrame(frames: readonly SourceFrame[]): FrameToGroup | undefined {
  const [first] = frames;
  return first && toFrame(first);
}
