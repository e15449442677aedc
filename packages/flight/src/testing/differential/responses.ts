import { buildValue, plannedDigest, PlannedFailure } from './build-value.ts';
import { type Description, describeReactValue } from './describe-react.ts';
import type { Plan } from './plans.ts';
import { hasTag } from './is-equal.ts';
import { isNewest, type LineName, type ReactLine } from './react-lines.ts';

/**
 * Long enough for any plan on a busy machine. Now and then (one plan in thousands) React's server never ends a response
 * with a stream that failed; those are given up.
 */
const timeLimit = 3000;

/** A client manifest that knows every module: its id is its path, and a `?async` at the end makes it an async one. */
const clientManifest = new Proxy(
  {},
  {
    get(_target, key) {
      if (typeof key !== 'string' || key.includes('#')) return undefined;
      const chunks = ['chunk-1', `static/chunks/${key}`, 'c2', 'c2.js'];
      return { id: key.replace('?async', ''), chunks, name: '*', async: key.endsWith('?async') };
    },
  },
);

/** What React's server of `line` writes for `plan`; undefined when it does not end. */
export async function encodeResponse(plan: Plan, line: ReactLine): Promise<Uint8Array | undefined> {
  const stream = line.server.renderToReadableStream(buildValue(plan, line, 'server'), clientManifest, {
    onError: (error: unknown) => (error instanceof PlannedFailure ? plannedDigest : 'refused by the server'),
  });
  return readWithin(stream, timeLimit);
}

async function readWithin(stream: ReadableStream<Uint8Array>, limit: number) {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  async function readAll() {
    for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
    return new Uint8Array(Buffer.concat(chunks));
  }
  try {
    return await within(readAll(), limit, undefined);
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function within<T, U>(promise: Promise<T>, limit: number, instead: U): Promise<T | U> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lateness = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(instead), limit);
  });
  try {
    return await Promise.race([promise, lateness]);
  } finally {
    clearTimeout(timer);
  }
}

/** Instead of a description when React's own client waits for ever: some references in circles do that to it. */
export const noAnswer = 'React’s client gives no answer';

/** What React's own client of `line` makes of `bytes`. */
export async function describeWithReact(bytes: Uint8Array, line: ReactLine): Promise<Description> {
  const root = line.client.createFromReadableStream(createNetworkStream(bytes, line), {
    serverConsumerManifest: { moduleMap: null, serverModuleMap: null, moduleLoading: null },
    // React's edge client gives an action's id and bound arguments away only to a form.
    encodeFormAction: (id: string, bound: unknown) => ({ id, bound }),
  });
  const described = describeReactValue(root, {
    withFileNames: false,
    describeError: readDigest,
    describeKnown: describeServerReference,
  });
  return within(described, timeLimit, noAnswer);
}

/**
 * Before 19.3 the client hands parts of a network chunk to byte streams without a copy; the stream takes the whole chunk
 * away from the parser, and what follows in it is lost. Chunks of one byte leave nothing to lose.
 */
function createNetworkStream(bytes: Uint8Array, line: ReactLine) {
  const isLossy = !isNewest(line.name) && Buffer.from(bytes).includes(':r\n');
  const size = isLossy ? 1 : bytes.length;
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)));
      controller.close();
    },
  });
}

/** Where React itself loses something, or canaries differ from all releases. */
export function excuseOf(name: LineName): (ours: Description, theirs: Description) => boolean {
  if (name === 'canary') return isMarkedText;
  return isNewest(name) ? () => false : isLostValue;
}

/**
 * Before 19.3 React's client reads null where it follows a reference too early: through a value whose row comes later.
 * There ours is the value.
 */
function isLostValue(ours: Description, theirs: Description): boolean {
  return theirs === null && ours !== null;
}

/** A canary keeps a byte order mark with which a text row begins; all releases drop it, and so does the decoder. */
function isMarkedText(ours: Description, theirs: Description): boolean {
  const own = measureText(ours);
  const marked = measureText(theirs);
  return marked !== undefined && marked.start.startsWith('\uFEFF') && marked.length - 1 === own?.length;
}

/** Of what `describeText` gives. */
function measureText(described: Description): { start: string; length: number } | undefined {
  if (typeof described === 'string') return { start: described, length: described.length };
  if (!hasTag(described, 'text')) return undefined;
  return { start: String(described['text']), length: Number(described['length']) };
}

function readDigest(error: unknown): Description {
  const digest = typeof error === 'object' && error !== null && 'digest' in error ? error.digest : undefined;
  return { digest: typeof digest === 'string' ? digest : null };
}

async function describeServerReference(value: unknown, describe: (inner: unknown) => Promise<Description>) {
  if (typeof value !== 'function' || !('$$FORM_ACTION' in value)) return undefined;
  const read = value.$$FORM_ACTION;
  if (typeof read !== 'function') return undefined;
  const known: { id: string; bound: PromiseLike<unknown> } = read.call(value, '');
  const bound = await known.bound;
  if (!Array.isArray(bound)) throw new Error('a server reference without a list of bound arguments');
  const described: Description[] = [];
  for (const argument of bound) described.push(await describe(argument));
  return { action: known.id, bound: described };
}

/**
 * The same payload with server references under another letter: `$F` before the patches of December 2025, `$h` since. A
 * quote after a backslash is part of a string.
 */
export function renameServerReferences(bytes: Uint8Array, from: 'F' | 'h', to: 'F' | 'h'): Uint8Array {
  const renamed = Buffer.from(bytes);
  for (let at = renamed.indexOf(`"$${from}`); at >= 0; at = renamed.indexOf(`"$${from}`, at + 1)) {
    if (renamed[at - 1] !== 0x5c) renamed[at + 2] = to.charCodeAt(0);
  }
  return new Uint8Array(renamed);
}
