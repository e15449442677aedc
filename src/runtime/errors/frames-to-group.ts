import 'server-only';

import { isContentHash, isTurbopackHash } from './content-hash.ts';
import type { FrameOfError } from './error-to-group.ts';

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

/** `[root-of-the-server]__0ii6qsttkp5_q._.js` */
const turbopackOnServer = /(?<name>^.*?)_{1,2}(?=[a-z_~.-]*[\d~])[0-9a-z_~.-]{13}\._\.js$/;

/** `index-4f3c2a.js` → `index.js`, `main.4f3c2a1b.chunk.js` → `main.chunk.js` */
function withoutContentHash(name: string, isTurbopack: boolean): string {
  if (isTurbopack && isTurbopackHash(name.replace(/\.js$/, ''))) return '<hash>.js';
  const [first = '', ...rest] = name.replace(turbopackOnServer, '$<name>._.js').split('.');
  const cuts = [
    // The eight characters of base64url may begin with or contain a hyphen.
    /^(.+?)-([\w-]{8})$/,
    /^(.+)-(\w+)$/,
    /^(.*?)[-_]([0-9a-z_~-]{13}|(?=[a-f]*\d)[0-9a-f]{8})$/,
  ];
  const stem = cuts
    .map((cut) => cut.exec(first))
    .find((found) => found?.[2] !== undefined && isContentHash(found[2]))?.[1]
    ?.replace(/_+$/, '');
  return [stem ?? (isContentHash(first) ? '<hash>' : first), ...rest.filter((part) => !isContentHash(part))].join('.');
}

/** Where programs are put on a machine: with it come the names of a user, of a project's copy, of a release. */
const machineRoot =
  /^(?:[a-z]:\/(?:Users\/[^/]+\/)?|\/(?:home\/[^/]+|Users\/[^/]+|var\/(?:www|task|app|lib)|srv|opt|usr\/src|root|mnt|tmp|data|workspace|builds?|code)\/)[^/]+\/|^\/(?:app|code|workspace)\//i;
const releaseFolder = /^(?:(?:releases?|versions?)\/[^/]+|current|\d[\d.T_-]{5,})\//;
/** What a project is in, the outermost of its own folders first. */
const projectFolders = ['packages', 'apps', '.next', '.output', 'dist', 'build', 'out', 'src'];

/** `/home/ann/shop/dist/orders.js` → `dist/orders.js` */
function withoutMachine(path: string): string {
  if (!machineRoot.test(path)) return path;
  const segments = path.split('/');
  for (const folder of projectFolders) {
    const at = segments.indexOf(folder, 2);
    if (at !== -1 && at < segments.length - 1) return segments.slice(at).join('/');
  }
  return path.replace(machineRoot, '').replace(releaseFolder, '');
}

/** The file of a frame that no map resolved: an address, or a path on some machine. */
function stableFile({ file, isAddress = false }: FrameOfError): string {
  const plain = file
    .replace(/[?#].*$/, '')
    .replace(/^[a-z][a-z\d+.-]{1,30}:\/\/[^/]*/i, '')
    // `webpack-internal:///(rsc)/./app/page.tsx`
    .replace(/^\/?\([\w-]+\)\//, '');
  const path = (isAddress ? plain : withoutMachine(plain.replaceAll('\\', '/'))).replace(/^\.?\//, '');
  const segments = path.split('/');
  const last = segments.pop() ?? '';
  // The code of a page itself has the page's address, which has values.
  if (isAddress && !last.includes('.')) return 'inline script';
  const name = withoutContentHash(last, /(?:^|\/)_next\/static\/chunks\//.test(path));
  const isValue = (folder: string) => /^\d+$|^\d{4}-\d\d-\d\d/.test(folder) || isContentHash(folder);
  return [...segments.map((folder) => (isValue(folder) ? '<n>' : folder)), name].join('/');
}

/** A longer one is a bundle's, and has the whole file. */
const longestLine = 120;
/** `throw new Error(` with what it throws below it. */
const linesJoined = 3;

/** The line that failed, without its indentation. A call whose arguments begin on the next line goes on there. */
function readLine({ context, line }: FrameOfError): string {
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
function toFrame(frame: FrameOfError): FrameToGroup {
  const { fn, source } = frame;
  const [name, text] = [stableName(fn), readLine(frame)];
  if (source === undefined) return { file: stableFile(frame), fn: name.length <= 2 ? '' : name, text };
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
function isEngine({ file, source }: FrameOfError): boolean {
  return source === undefined && /^(?:<anonymous>|native|\[?native code\]?)$/.test(file);
}

function nameAnywhere({ fn, source, isAddress = false }: FrameOfError): string {
  // Firefox calls a function without a name `load/<` that stands in `load`. Safari has names for what stands in no function.
  if (fn.endsWith('<') || /^(?:global|module|eval) code$/.test(fn)) return '';
  const name = fn.replace(/^(?:async |new )+/, '');
  if (source !== undefined) return name;
  // V8 puts the class before the method. A minified one is another letter in the next build, and other browsers do not name it.
  const parts = name.split('.');
  if (isAddress) return parts.at(-1) ?? '';
  return parts.filter((part) => part.length > 2).join('.') || (parts.at(-1) ?? '');
}

/** Frames as each browser and each build tells them. */
export function asAnywhere(frames: readonly FrameOfError[]): readonly FrameOfError[] {
  return frames
    .filter((frame) => !isEngine(frame))
    .map((frame) => ({
      ...frame,
      fn: nameAnywhere(frame),
      // Each load of a page gives a script made of a blob another address.
      file: frame.file.startsWith('blob:') ? 'blob:' : frame.file,
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
function isWrapper({ fn }: FrameOfError): boolean {
  const name = stableName(fn);
  return name === '' || name.startsWith('anonymous in ') || asyncHelpers.has(name);
}

/** Leaves out functions that have no name of their own, but for the one that failed. */
export function withoutWrappers(frames: readonly FrameOfError[]): readonly FrameOfError[] {
  const innermost = frames.find(({ inApp }) => inApp);
  return frames.filter((frame) => frame === innermost || !frame.inApp || !isWrapper(frame));
}

/** A bundle that is minified has a few long lines. What stands in such a place of a file on a server is code as it was written. */
const longestColumn = 200;

function isWrittenFile({ column, isAddress = false }: FrameOfError): boolean {
  return !isAddress && column <= longestColumn;
}

/** The innermost of the project's own frames; none when they say nothing, as those of a minified bundle without a map. */
export function readFramesToGroup(frames: readonly FrameOfError[]): readonly FrameToGroup[] {
  const own = frames.filter(({ inApp }) => inApp);
  const telling = own.some(({ source }) => source !== undefined);
  const named = own.map(toFrame);
  if (!telling && named.every(({ fn, text }) => fn === '' && text === '')) {
    const isMinified = own.some(({ fn }) => stableName(fn) !== '');
    const innermost = isMinified ? undefined : own.find(isWrittenFile);
    return innermost ? [toFrame(innermost)] : [];
  }
  return collapseRecursion(named).slice(0, framesCounted);
}

/** Reads the innermost frame, whoever's it is, of an error that says nothing else. */
export function readInnermostFrame(frames: readonly FrameOfError[]): FrameToGroup | undefined {
  const [first] = frames;
  return first && toFrame(first);
}
