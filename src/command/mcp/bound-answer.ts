import { escapeText } from '#boundary';

/**
 * An answer within the bound of a tool's result: what a coding agent reads takes room from what it works on. The longest texts and
 * lists are cut first, a step at a time, until the whole fits; what is left keeps its shape.
 */

/** Of a result's JSON: some 6,000 tokens. */
export const answerBound = 24_000;

type Step = { readonly text: number; readonly list: number };

const steps: readonly Step[] = [
  { text: 4_000, list: 100 },
  { text: 2_000, list: 40 },
  { text: 1_000, list: 25 },
  { text: 500, list: 15 },
  { text: 250, list: 10 },
  { text: 120, list: 6 },
  { text: 80, list: 3 },
  { text: 60, list: 1 },
  { text: 40, list: 0 },
];

export type Bounded = { readonly value: unknown; readonly isShortened: boolean };

/** Lines stay lines. What steers a terminal or hides text is shown as its code: instructions could stand in it. */
function showPlainly(text: string): string {
  return text.split('\n').map(escapeText).join('\n');
}

/** Half an address leads nowhere. They are short: an id, an origin of our own. */
const addresses = new Set(['page', 'self', 'next', 'previous', 'path']);
const longestAddress = 400;
/** Records with names that a sender chose, as many as it liked. */
const named = new Set(['tags', 'extra', 'data']);

function cutText(value: string, longest: number, noteCut: () => void): string {
  const plain = showPlainly(value);
  if (plain.length <= longest) return plain;
  noteCut();
  return `${plain.slice(0, longest)}…`;
}

function cutFields(step: Step, value: object, noteCut: () => void): object {
  const entries: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [name, cutField(step, name, item, noteCut)]));
}

function cutField(step: Step, name: string, value: unknown, noteCut: () => void): unknown {
  if (addresses.has(name) && typeof value === 'string') return cutText(value, longestAddress, noteCut);
  if (!named.has(name) || typeof value !== 'object' || value === null) return cutTo(step, value, noteCut);
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length > step.list) noteCut();
  const kept = entries.slice(0, step.list);
  return Object.fromEntries(kept.map(([key, item]) => [cutText(key, step.text, noteCut), cutTo(step, item, noteCut)]));
}

function cutTo(step: Step, value: unknown, noteCut: () => void): unknown {
  if (typeof value === 'string') return cutText(value, step.text, noteCut);
  if (Array.isArray(value)) {
    if (value.length > step.list) noteCut();
    return value.slice(0, step.list).map((item) => cutTo(step, item, noteCut));
  }
  return typeof value === 'object' && value !== null ? cutFields(step, value, noteCut) : value;
}

export function boundAnswer(value: unknown, bound: number = answerBound): Bounded {
  let last: Bounded = { value: null, isShortened: true };
  for (const step of steps) {
    let isShortened = false;
    const cut = cutTo(step, value, () => (isShortened = true));
    last = { value: cut, isShortened };
    if (JSON.stringify(cut).length <= bound) return last;
  }
  return last;
}
