import type { Place } from './place.ts';

/**
 * Where the repeats of a payload are, as pairs of places: a list that sends each label in its title and again in its text is
 * one pair, whatever the number of labels. Each wasted copy (duplicates.ts) is in one pair at most, so the pairs' bytes add
 * up to no more than what is wasted.
 */
export type DuplicatePattern = {
  /**
   * What repeats: a text, a list of class names, an element, another object or array or binary, or what client modules have
   * (names of files). What can be done differs.
   */
  kind: 'text' | 'classes' | 'element' | 'data' | 'modules';
  /** Where the original stands, and where the copy: `li title`, `b`; empty outside elements. */
  first: string;
  again: string;
  count: number;
  wasted: number;
  /** What these bytes cost after compression. */
  compressed: number;
  /** How many different things repeat like this. */
  distinct: number;
  /** The first copy. */
  place: Place;
};

/** Pairs of places. A page has hundreds. */
const maxPatterns = 50_000;

/** Distinct places (`li title`) that patterns tell apart; a page has hundreds. The rest is in no pattern. */
const maxInside = 4000;

/** The number of every place past `maxInside`. */
const elsewhere = maxInside;

const kinds = ['text', 'classes', 'element', 'data', 'modules'] as const;

export type Patterns = {
  /** By number, and by name. */
  inside: string[];
  insideNumbers: Map<string, number>;
  /** By class: the number of its original's place. */
  insideOf: Uint16Array;
  found: Map<number, DuplicatePattern>;
  isCut: boolean;
};

export function createPatterns(classes: number): Patterns {
  return {
    inside: [],
    insideNumbers: new Map(),
    insideOf: new Uint16Array(classes + 1),
    found: new Map(),
    isCut: false,
  };
}

function numberInside(patterns: Patterns, inside: string): number {
  const known = patterns.insideNumbers.get(inside);
  if (known !== undefined) return known;
  if (patterns.inside.length === maxInside) {
    patterns.isCut = true;
    return elsewhere;
  }
  patterns.insideNumbers.set(inside, patterns.inside.length);
  return patterns.inside.push(inside) - 1;
}

/** Says where the original of a class stands. */
export function numberOriginal(patterns: Patterns, valueClass: number, inside: string): void {
  patterns.insideOf[valueClass] = numberInside(patterns, inside);
}

type Copy = {
  valueClass: number;
  kind: DuplicatePattern['kind'];
  place: Place & { inside: string };
  bytes: number;
  cost: number;
  /** Whether it is the first wasted copy of its class. */
  isNew: boolean;
};

/** Counts a wasted copy. */
export function countCopy(patterns: Patterns, { valueClass, kind, place, bytes, cost, isNew }: Copy): void {
  const first = patterns.insideOf[valueClass] ?? 0;
  const again = numberInside(patterns, place.inside);
  if (first === elsewhere || again === elsewhere) return;
  const key = (first * maxInside + again) * kinds.length + kinds.indexOf(kind);
  let pattern = patterns.found.get(key);
  if (!pattern) {
    if (patterns.found.size === maxPatterns) {
      patterns.isCut = true;
      return;
    }
    const { inside, ...where } = place;
    const from = patterns.inside[first] ?? '';
    pattern = { kind, first: from, again: inside, count: 0, wasted: 0, compressed: 0, distinct: 0, place: where };
    patterns.found.set(key, pattern);
  }
  pattern.count += 1;
  pattern.wasted += bytes;
  pattern.compressed += cost;
  if (isNew) pattern.distinct += 1;
}

/** What costs most after compression first. */
export function listPatterns({ found }: Patterns, max: number): DuplicatePattern[] {
  return [...found.values()].toSorted((a, b) => b.compressed - a.compressed || b.wasted - a.wasted).slice(0, max);
}
