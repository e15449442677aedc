import type { Target } from '../dollar.ts';

/**
 * The strings that begin with `$` in what React's client writes, and no others (processReply of react-server-dom-webpack 19.0 to
 * 19.3). `dollar.ts` reads what a server would understand, which is more: a server looks at one letter where a client writes a word.
 */
export type WrittenForm =
  /** It stands for itself: a string, a number, a date, what stays in the browser. */
  | { readonly kind: 'scalar' }
  | ({ readonly kind: 'reference' } & Target)
  | { readonly kind: PartUse; readonly id: number }
  | { readonly kind: 'too-large'; readonly detail: string }
  | { readonly kind: 'unknown' };

/** What a part is used for. */
export type PartUse =
  | 'promise'
  | 'action'
  | 'map'
  | 'set'
  | 'iterator'
  | 'form-data'
  | 'file'
  | 'stream'
  | 'byte-stream';

const uses: Readonly<Record<string, PartUse>> = {
  '@': 'promise',
  h: 'action',
  // Before December 2025.
  F: 'action',
  Q: 'map',
  W: 'set',
  i: 'iterator',
  K: 'form-data',
  B: 'file',
  R: 'stream',
  X: 'stream',
  x: 'stream',
  r: 'byte-stream',
  // Typed arrays.
  ...Object.fromEntries([...'AOoUSsLlGgMmV'].map((letter) => [letter, 'file'] as const)),
};

const words = new Set(['$undefined', '$NaN', '$Infinity', '$-Infinity', '$-0', '$T']);
const idPattern = /^(?:0|[1-9a-f][0-9a-f]{0,7})$/;
/** React's servers have refused longer ones since January 2026. */
const longestBigint = 300;
/** `toISOString` writes 24 or 27 characters; an app may have replaced `toJSON`. */
const longestDate = 100;
/** Steps into a value. Each is one level of it, and React itself nests no deeper. */
const longestReference = 1_000;

function readId(text: string): number | undefined {
  return idPattern.test(text) ? Number.parseInt(text, 16) : undefined;
}

function readBigint(digits: string): WrittenForm {
  if (!/^(?:0|-?[1-9]\d*)$/.test(digits)) return { kind: 'unknown' };
  return digits.length <= longestBigint + 1
    ? { kind: 'scalar' }
    : { kind: 'too-large', detail: `a bigint of ${digits.length} digits` };
}

/** What a string stands for that begins with `$`. */
export function readWrittenForm(text: string): WrittenForm {
  const letter = text[1] ?? '';
  if (letter === '$' || words.has(text)) return { kind: 'scalar' };
  if (letter === 'n') return readBigint(text.slice(2));
  if (letter === 'D') return { kind: text.endsWith('Z') && text.length <= longestDate ? 'scalar' : 'unknown' };
  const kind = Object.hasOwn(uses, letter) ? uses[letter] : undefined;
  if (kind !== undefined) {
    const id = readId(text.slice(2));
    return id === undefined ? { kind: 'unknown' } : { kind, id };
  }
  const [first = '', ...path] = text.slice(1).split(':', longestReference + 1);
  if (path.length === longestReference) return { kind: 'too-large', detail: 'a reference with too many steps' };
  const id = readId(first);
  return id === undefined ? { kind: 'unknown' } : { kind: 'reference', id, path };
}
