import { createFramer, joinPieces } from '../../framing.ts';
import { jsonStart, rowTagOf } from '../../row-tags.ts';

/**
 * The same payload in other letters, and with other texts: characters as escapes, spaces between tokens, and in the place of
 * some texts those that nearly mean something. React's servers write one spelling of each string; its clients read all, so
 * the decoder must. What a `$` string or a key means stays as it is.
 */
const odd = [
  '$',
  '$$',
  '$1',
  '$L0',
  // As long as `"\u0024"` when they are escaped.
  '$5€',
  '$6é_',
  '$a\n1',
  '$"bc',
  '$😀',
  '$$\\b',
  '$ is not defined',
  '$undefined',
  '$u0024',
  '\\u0024',
  '\u{1F600}$',
  'é漢',
  '\u2028',
] as const;

type Random = () => number;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function respellPayload(bytes: Uint8Array, seed: number): Uint8Array {
  const random = createRandom(seed);
  const pieces: Uint8Array[] = [];
  const framer = createFramer(({ tag, start, payloadStart, payloadEnd, end, pieces: body }) => {
    const rowTag = rowTagOf(tag);
    const from = jsonStart(rowTag, payloadStart, payloadEnd);
    if (from < 0) {
      pieces.push(bytes.subarray(start, end));
      return;
    }
    const json = utf8.decode(joinPieces(body).subarray(from - payloadStart));
    // What stands in modules and hints is read by others too.
    const isText = rowTag.role === 'model' || rowTag.role === 'error' || rowTag.role === 'stream';
    const respelled = respellJson(json, random, { hasTexts: isText, isEscaped: rowTag.role !== 'error' });
    pieces.push(bytes.subarray(start, from), encoder.encode(respelled), bytes.subarray(payloadEnd, end));
  });
  framer.push(bytes);
  return joinPieces(pieces);
}

/** A part of a request: the JSON of a field. */
export function respellPart(json: string, seed: number): string {
  return respellJson(json, createRandom(seed), { hasTexts: true, isEscaped: true });
}

type Options = {
  /** Whether texts may become others. */
  hasTexts: boolean;
  /** Whether a text that begins with a dollar gets another before it; not in an error row, which is plain JSON. */
  isEscaped: boolean;
};

const token = /"(?:[^"\\]|\\.)*"(?!\s*:)|"(?:[^"\\]|\\.)*"|[,:[\]{}]/g;

function respellJson(json: string, random: Random, options: Options): string {
  return json.replaceAll(token, (found: string, at: number) => {
    if (!found.startsWith('"')) return random() < 0.1 ? `${found}${random() < 0.5 ? ' ' : '\t\r'}` : found;
    const text: unknown = JSON.parse(found);
    if (typeof text !== 'string') throw new Error(`${found} is no string`);
    const isKey = /^\s*:/.test(json.slice(at + found.length, at + found.length + 1));
    return spell(isKey ? text : chooseText(text, random, options), random);
  });
}

/** Types of files are left as they are, for the platform changes those that are none; and so is what no text is. */
function chooseText(text: string, random: Random, { hasTexts, isEscaped }: Options): string {
  const isPlain = !text.startsWith('$') && text !== '' && !text.includes('/');
  if (!hasTexts || !isPlain || random() > 0.4) return text;
  const other = odd[Math.floor(random() * odd.length)] ?? '';
  return isEscaped && other.startsWith('$') ? `$${other}` : other;
}

function spell(text: string, random: Random): string {
  const share = random() < 0.5 ? 0 : 0.3;
  // By characters, so that no half of a pair is an escape and the other is not.
  const spelled = Array.from(text, (character) =>
    random() < share ? escape(character, random) : JSON.stringify(character).slice(1, -1),
  );
  return `"${spelled.join('')}"`;
}

function escape(character: string, random: Random): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const hex = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  return random() < 0.5 ? hex : hex.replaceAll(/[a-f]/g, (digit) => digit.toUpperCase()).replaceAll('\\U', '\\u');
}
