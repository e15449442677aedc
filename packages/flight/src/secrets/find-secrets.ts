import type { Flight } from '../flight.ts';
import type { Place } from '../place.ts';
import { readHeader, readRowTag } from '../row-index.ts';
import { rowTagOf } from '../row-tags.ts';
import { countBefore } from '../count-before.ts';
import { readUtf8 } from '../value-text.ts';
import { readValuePath } from '../value-path.ts';
import { compileAnchors } from './anchors.ts';
import { describeShapePlace, type ShapePlace } from './describe-place.ts';
import { secretRules, type SecretRule } from './secret-rules.ts';

/** A secret of the app that is known: it is found whatever it looks like, and its name is told. */
export type KnownSecret = { readonly name: string; readonly value: string };

/** What was found, and where; never the secret itself. */
export type FoundSecret = ShapePlace & {
  /** Of the rule; of a known secret `environment`. */
  readonly rule: string;
  /** What it is, for people: `a secret key of Stripe`, `the value of DATABASE_URL`. */
  readonly name: string;
  readonly place: Place;
};

export type SecretFinder = {
  /** Whether `find` may find anything, in about a millisecond for a megabyte. */
  readonly mayHold: (bytes: Uint8Array) => boolean;
  /** The secrets in what is not a development server's own data, each place once, at most `mostFound`. */
  readonly find: (flight: Flight) => FoundSecret[];
};

/** A payload with more has been told of. */
const mostFound = 50;
/** Anchors that are looked at closely: a page of documentation about keys has hundreds. */
const mostLooks = 2_000;
/** Of a text. Longer ones are files. */
const longestText = 1 << 20;

type Anchor = { readonly text: Uint8Array; readonly rule: SecretRule };
type Candidate = { readonly rule: SecretRule; readonly at: number };

const utf8 = new TextEncoder();
const latin1 = new TextDecoder('latin1');

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Whole: a value that happens to be within a longer word is another. */
function toKnownRule({ name, value }: KnownSecret): SecretRule {
  return {
    id: 'environment',
    name: `the value of ${name}`,
    pattern: new RegExp(`(?<![A-Za-z0-9])${escapeForPattern(value)}(?![A-Za-z0-9])`, 'g'),
    // In a row of text as it is, and elsewhere as JSON writes it.
    anchors: [...new Set([value, JSON.stringify(value).slice(1, -1)])],
    reach: 0,
    isReal: () => true,
  };
}

/** What a user's name in an address is made of: letters, digits, `-` and `_`. */
const ofName = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_') {
  ofName[character.charCodeAt(0)] = 1;
}
const [colon, slash, atSign] = [0x3a, 0x2f, 0x40];

/** Where a name ends backward. */
function skipNameBefore(bytes: Uint8Array, from: number): number {
  let at = from;
  while (ofName[bytes[at] ?? 0] === 1) at -= 1;
  return at;
}

/** Addresses are many, and few name a user: `//user:password@` is looked for from its rarest character. */
function listUsers(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(atSign); at !== -1; at = bytes.indexOf(atSign, at + 1)) {
    const before = skipNameBefore(bytes, at - 1);
    const start = bytes[before] === colon ? skipNameBefore(bytes, before - 1) : 0;
    if (bytes[start] === slash && bytes[start - 1] === slash) found.push(start);
  }
  return found;
}

function mayMatch({ rule }: Anchor, bytes: Uint8Array, at: number): boolean {
  if (rule.reach === 0) return true;
  const around = latin1.decode(bytes.subarray(Math.max(0, at - rule.reach), at + rule.reach));
  return around.search(rule.pattern) !== -1;
}

type ReadText = {
  readonly text: string;
  /** Of the key at its beginning. */ readonly keyLength: number;
  readonly place: Place;
};

/** The text that holds a byte, with the key that it is under; undefined where a secret is nobody's but React's. */
function readTextAt(flight: Flight, row: number, byte: number): ReadText | undefined {
  const { tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
  const rowTag = readRowTag(flight.rows, row);
  if (rowTag.role === 'debug' || rowTag.role === 'module') return undefined;
  if (rowTagOf(tag).holds === 'text') {
    const text = readUtf8(flight, payloadStart, Math.min(payloadEnd, payloadStart + longestText));
    return { text, keyLength: 0, place: { row } };
  }
  const found = readValuePath(flight, row, byte);
  if (!found) return undefined;
  const { value, steps, isKey } = found;
  if (!isKey && value.kind !== 'string') return undefined;
  const key = steps.at(-1)?.key ?? '';
  const text = `${key}=${value.kind === 'string' ? value.value.slice(0, longestText) : ''}`;
  return { text, keyLength: key.length, place: { row, start: value.start, end: value.end } };
}

/** @param known in memory, and nowhere else: nothing that is found holds them */
export function createSecretFinder(known: readonly KnownSecret[] = []): SecretFinder {
  const rules = [...known.map(toKnownRule), ...secretRules];
  const anchors: readonly Anchor[] = rules.flatMap((rule) =>
    rule.anchors.map((anchor) => ({ text: utf8.encode(anchor), rule })),
  );
  const basicAuth = rules.find(({ id }) => id === 'basicauth');
  const scan = compileAnchors(anchors.map(({ text }) => text));

  function listCandidates(bytes: Uint8Array, most: number): Candidate[] {
    const candidates: Candidate[] = basicAuth
      ? listUsers(bytes)
          .slice(0, most)
          .map((at) => ({ rule: basicAuth, at }))
      : [];
    if (candidates.length >= most) return candidates;
    let looks = 0;
    scan(bytes, (index, at) => {
      const anchor = anchors[index];
      if (!anchor) return 'go-on';
      looks += 1;
      if (mayMatch(anchor, bytes, at)) candidates.push({ rule: anchor.rule, at });
      return candidates.length < most && looks < mostLooks ? 'go-on' : 'stop';
    });
    return candidates;
  }

  return {
    mayHold: (bytes) => listCandidates(bytes, 1).length > 0,
    find(flight) {
      const { rows, bytes } = flight;
      /** Each place is looked at once by each rule, since a long text may have an anchor a thousand times. */
      const looked = new Set<string>();
      /** Several rules look for the same: a hash of a password by its form, and by its name. */
      const seen = new Set<string>();
      const found: FoundSecret[] = [];
      for (const { rule, at } of listCandidates(bytes, mostLooks)) {
        const row = countBefore(rows.count, (index) => (rows.starts[index] ?? 0) <= at) - 1;
        const read = row < 0 || found.length >= mostFound ? undefined : readTextAt(flight, row, at);
        if (!read) continue;
        const place = `${row} ${read.place.start ?? ''}`;
        const [look, key] = [`${rules.indexOf(rule)} ${place}`, `${rule.name} ${place}`];
        if (looked.has(look) || seen.has(key)) continue;
        looked.add(look);
        const match = Array.from(read.text.matchAll(rule.pattern)).find(rule.isReal);
        if (!match) continue;
        seen.add(key);
        const isInKey = match.index + match[0].length <= read.keyLength;
        const shape = describeShapePlace(flight, { row, start: isInKey ? at : (read.place.start ?? at) });
        if (rule.isOutsideElements && shape.component !== '') continue;
        found.push({ ...shape, rule: rule.id, name: rule.name, place: read.place });
      }
      return found;
    },
  };
}
