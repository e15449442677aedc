import type { DuplicatePattern } from './duplicate-patterns.ts';
import {
  cost,
  countOf,
  isWorthSaying,
  listWords,
  maxParts,
  share,
  sizePart,
  type Finding,
  type Understood,
} from './finding.ts';
import { formatCount } from './format-numbers.ts';

/** Parts smaller than this share of the finding are in its total alone. */
const minPart = 0.05;

/** Kinds of repeats whose advice is given at once. */
const maxAdvice = 2;

/**
 * What React does with a second copy, as its server (19.0 to 19.3) was seen to do: the same object, array, element, promise,
 * Map or typed array is written once and referred to (`"$0:props:user"`); a text is written each time, however long; equal
 * copies are written each time; a component's output is written each time it is rendered. So each kind has another remedy.
 */
const remedies: Readonly<Record<DuplicatePattern['kind'], string>> = {
  text: 'React writes a text each time it is used: a client component that gets it once can use it in several places.',
  classes: 'One CSS class in place of a repeated list of class names is shorter.',
  element:
    'React writes an element once when it is the same object: make it once and use it in each place, or render it with a client component, of which only the props are sent.',
  data: 'React writes an object once when it is the same object: pass that one, instead of equal copies.',
  modules: 'React 19.3 names each file once; older lines name it again for each module.',
};

/**
 * All that is sent more than once, as one finding with one total: the copies that are in no larger copy, each counted once
 * (duplicates.ts). Its parts are the pairs of places with the most of it, and share no byte.
 */
export function findSentTwice(understood: Understood): Finding[] {
  const { duplicates } = understood;
  const size = { bytes: duplicates.wasted, compressed: duplicates.compressed };
  const patterns = duplicates.patterns.filter(({ compressed }) => compressed >= size.compressed * minPart);
  const [worst] = patterns.length === 0 ? duplicates.patterns : patterns;
  if (!worst || !isWorthSaying(size, understood)) return [];
  const kinds = new Set(patterns.map(({ kind }) => kind));
  const advice = [...kinds].slice(0, maxAdvice).map((kind) => remedies[kind]);
  const parts = patterns
    .slice(0, maxParts)
    .map((pattern) => sizePart(describe(pattern), { ...pattern, bytes: pattern.wasted }, pattern.place));
  const least = duplicates.isCut ? 'At least ' : '';
  const [only] = duplicates.count === 1 ? duplicates.list : [];
  const what = only
    ? `${nameKind(worst.kind, 1)}, ${only.text}, is sent ${formatCount(only.count)} times`
    : `${least}${countOf(duplicates.count, 'value')} are sent more than once`;
  const title = `${what}: ${share(size, understood)}.`;
  const text = advice.length === 0 ? remedies[worst.kind] : advice.join(' ');
  return [cost('sent-twice', size, { title, advice: text, place: worst.place, parts: only ? [] : parts })];
}

const names: Readonly<Record<DuplicatePattern['kind'], readonly [one: string, many: string]>> = {
  text: ['text', 'texts'],
  classes: ['list of class names', 'lists of class names'],
  element: ['element', 'elements'],
  data: ['object', 'objects'],
  modules: ['name of a file', 'names of files'],
};

function nameKind(kind: DuplicatePattern['kind'], count: number): string {
  const [one, many] = names[kind];
  return count === 1 ? `One ${one}` : `${formatCount(count)} ${many}`;
}

function describe({ kind, first, again, count, distinct }: DuplicatePattern): string {
  const places = first === again ? [nameInside(first)] : [nameInside(first), nameInside(again)];
  // What was sent again elsewhere before is no different thing of this pair.
  const copies = countOf(count, 'more copy', 'more copies');
  const what = distinct === 0 ? `${copies} of ${names[kind][1]}` : nameKind(kind, distinct);
  const times = distinct === 0 || count === distinct ? '' : `, ${formatCount(count)} times more`;
  return `${what} in ${listWords(places, 2)}${times}`;
}

/** `li title` as `title of <li>`, `li` as `<li>`. */
function nameInside(inside: string): string {
  if (inside === '') return 'values outside elements';
  if (inside === 'client modules') return inside;
  const space = inside.lastIndexOf(' ');
  return space < 0 ? `<${inside}>` : `${inside.slice(space + 1)} of <${inside.slice(0, space)}>`;
}
