import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it, test } from 'vitest';

import {
  decodeFlight,
  decodeReply,
  guessFramework,
  openFlights,
  printRow,
  readEntries,
  readItems,
  readRow,
  readRowValue,
  resolveTarget,
  rowTagOf,
  type Flight,
  type Value,
} from '#flight';

import { readFixture } from '../../../../src/flights/watch/testing/read-fixture.ts';

import { endingWords, stateOfExample } from './endings.tsx';
import { byHand, byReact, replyExamples, travelExamples } from './examples.ts';
import { findFormWords, formWords } from './form-words.ts';
import { replyWords } from './reply-words.ts';
import { findRootKey, rootWords } from './root-words.ts';
import { hintWords, rowWords } from './row-words.ts';
import { toMultipart } from './example.tsx';
import { travelWords } from './travel.tsx';
import { writeRoot } from './write-value.ts';

const encoder = new TextEncoder();

function decode(text: string): Flight {
  return decodeFlight(encoder.encode(text));
}

const ascii = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index));

describe('rows', () => {
  it('are explained when the decoder knows their tag, and no others are', () => {
    const known = ascii.filter((tag) => {
      const { tag: own, body } = rowTagOf(tag);
      return own === tag && body !== 'unknown';
    });
    expect(Object.keys(rowWords).sort()).toEqual(['', ...known].sort());
  });

  it.each(Object.entries(rowWords))('%j is said to be what the decoder makes of it', (tag, { name, since }) => {
    const rowTag = rowTagOf(tag);
    expect(name).toBe(rowTag.name);
    expect(since).toBe(rowTag.since);
    expect(rowWords[tag]?.isDevelopment === true).toBe(rowTag.role === 'debug');
  });

  it.each(Object.entries(hintWords))('hint %s is named as the decoder names it', (code, { name }) => {
    expect(printRow(decode(`:H${code}"x"\n`), readRow(decode(`:H${code}"x"\n`), 0))).toBe(`${name} "x"`);
  });

  it('has every hint that the decoder names', () => {
    const named = ascii.filter((code) => {
      const flight = decode(`:H${code}"x"\n`);
      return /^[A-Za-z]$/.test(code) && !printRow(flight, readRow(flight, 0)).startsWith('hint ');
    });
    expect(Object.keys(hintWords).sort()).toEqual(named.sort());
  });
});

/** What the decoder makes of a `$` string. */
function readKind(text: string, direction: 'response' | 'request'): Value['kind'] | undefined {
  const flight = decodeFlight(encoder.encode(`0:[0,${JSON.stringify(text)}]\n`), { direction });
  const root = readRowValue(flight, 0);
  return root && readItems(flight, root)[1]?.kind;
}

describe('$ forms', () => {
  const endings = ['', '1', '0', '@', '@1', 'undefined', 'Infinity', 'NaN', 'D2026', '-0', '1:a:b', '$'];

  describe.each(['response', 'request'] as const)('of a %s', (direction) => {
    it.each(ascii)('$%s is explained as what the decoder makes of it', (letter) => {
      for (const ending of endings) {
        const text = `$${letter}${ending}`;
        const kind = readKind(text, direction);
        const words = findFormWords(text, direction);
        // A letter that the decoder knows, with an ending that is no row’s id.
        if (kind === 'unknown') continue;
        expect(words?.kind, text).toBe(kind);
      }
    });

    it('explains nothing that the decoder does not know', () => {
      for (const letter of ascii) {
        const isKnown = endings.some((ending) => readKind(`$${letter}${ending}`, direction) !== 'unknown');
        const isExplained = endings.some((ending) => findFormWords(`$${letter}${ending}`, direction));
        expect(isExplained, letter).toBe(isKnown);
      }
    });
  });

  it('explains the lone $ too', () => {
    expect(findFormWords('$', 'response')?.kind).toBe(readKind('$', 'response'));
    expect(findFormWords('$', 'request')).toBeUndefined();
  });

  it.each(formWords.map((words): [string, (typeof formWords)[number]] => [words.anchor, words]))(
    '%s is found by its own tokens',
    (_, words) => {
      const direction = words.direction === 'both' ? 'response' : words.direction;
      for (const token of words.token.split(' ')) expect(findFormWords(token, direction)).toBe(words);
    },
  );
});

describe('examples', () => {
  const response = [
    ...Object.values(rowWords),
    ...Object.values(hintWords),
    ...formWords.filter(({ direction }) => direction !== 'request'),
    ...endingWords,
  ].map(({ anchor }) => anchor);
  const request = [...replyWords, ...formWords.filter(({ direction }) => direction === 'request')];

  it('are there for every token, and for nothing else', () => {
    expect(Object.keys({ ...byReact, ...byHand }).sort()).toEqual(response.sort());
    expect(Object.keys(replyExamples).sort()).toEqual(request.map(({ anchor }) => anchor).sort());
    expect(travelWords.map(({ anchor }) => anchor)).toEqual([...Object.keys(travelExamples), 'travel-frames']);
  });

  it.each(Object.entries(rowWords))('of row %j has such a row', (tag, { anchor }) => {
    const flight = decode(byReact[anchor] ?? byHand[anchor] ?? '');
    const tags = Array.from({ length: flight.rows.count }, (_, row) => readRow(flight, row).tag);
    expect(tags).toContain(tag);
  });

  it.each(formWords.map((words): [string, (typeof formWords)[number]] => [words.anchor, words]))(
    'of %s has such a string',
    (anchor, { pattern }) => {
      const fields = (replyExamples[anchor] ?? []).map(({ value }) => (typeof value === 'string' ? value : ''));
      const text = byReact[anchor] ?? byHand[anchor] ?? fields.join(' ');
      const strings = [...text.matchAll(/"(\$[^"]*)"/g)].map(([, string = '']) => string);
      expect(strings.some((string) => pattern.test(string))).toBe(true);
    },
  );

  it.each(endingWords.map(({ anchor, name }) => [anchor, name]))('%s ends as it says', (anchor, name) => {
    expect(stateOfExample(anchor)).toBe(name);
  });

  it('are whole, but for those that show how a payload ends and what comes later', () => {
    const states = Object.entries({ ...byReact, ...byHand }).filter(([anchor]) => !anchor.startsWith('end-'));
    const broken = states.filter(([, text]) => decode(text).state.kind !== 'complete').map(([anchor]) => anchor);
    expect(broken).toEqual([]);
  });

  it.each([
    ['row-I', '<Counter start={3} />'],
    ['row-E', '{ price: Promise of an Error with the digest "K7RQ2M4XVD" }'],
    ['row-R', 'ReadableStream: "a", { b: 1 }'],
    ['row-x', 'async iterator: 1, 2, returned "done"'],
    ['row-b', 'ReadableStream of bytes: Uint8Array of 5 bytes: "Hi th", Uint8Array of 3 bytes: "ere"'],
    ['row-S', 'Int16Array of 8 bytes: "Hi there"'],
    ['form-L', '<Suspense fallback="wait">{lazy: <p>late</p>}</Suspense>'],
    ['form-h', '{ action: the action "app/actions.ts#save" }'],
    ['form-Q', '{ ages: new Map([["Ada", 36]]) }'],
    ['form-i', '{ tags: ["sea", "air"].values() }'],
    ['form-K', 'FormData of [["title", "Sea"]]'],
    ['form-B', 'Blob of ["text/plain", Uint8Array of 8 bytes: "Hi there"]'],
    ['form-n', '12345678901234567890n'],
    ['form-undefined', '{ list: [undefined] }'],
    ['form-minus-zero', '-0'],
    ['form-element', '<p key="first" className="lead">Sea</p>'],
    ['form-reference', '{ from: { name: "Brest" }, to: { name: "Brest" } }'],
    ['end-halted', '<main>{lazy: not there yet}</main>'],
    ['end-truncated', '{ price: Promise of what is not there yet }'],
  ])('of %s becomes %s', (anchor, expected) => {
    expect(writeRoot(decode(byReact[anchor] ?? byHand[anchor] ?? ''))).toBe(expected);
  });

  it.each([
    ['reply-arguments', '["save", { at: new Date("1970-01-01T00:00:00.000Z") }]'],
    ['reply-parts', '["save", new Map([["Ada", 36]])]'],
    ['reply-binary', '[Uint8Array of 8 bytes: "Hi there"]'],
    ['reply-stream', '[async iterable: 1, 2]'],
    ['reply-items', '[async iterator: "a", returned "end"]'],
    ['reply-form-data', '[FormData of [["title", "Sea"]]]'],
    ['reply-action-ref', '{ id: "app/actions.ts#save", bound: Promise of [5] }'],
  ])('of %s becomes %s', (anchor, expected) => {
    const { flight } = decodeReply(encoder.encode(toMultipart(replyExamples[anchor] ?? [])));
    expect(writeRoot(flight)).toBe(expected);
  });

  it('are without what React’s client drops', () => {
    expect(writeRoot(decode('0:{"__proto__":{"a":1},"b":"$undefined","c":1}\n'))).toBe('{ c: 1 }');
  });

  it('stops at a value that contains itself', () => {
    expect(writeRoot(decode('0:{"a":{"self":"$0:a"}}\n'))).toBe('{ a: { self: (itself) } }');
  });
});

/** Roots that real apps sent. */
const packageFixtures = path.join(import.meta.dirname, '../../../flight/fixtures');
const exchanges = path.join(import.meta.dirname, '../../../../src/flights/watch/fixtures');

function readPayload(file: string): Uint8Array {
  if (!file.endsWith('.json')) return readFileSync(path.join(packageFixtures, file));
  const pieces = readFixture(file).chunks.map(([, text]) => Buffer.from(text, 'base64'));
  return Buffer.concat(pieces);
}

async function openAll(file: string): Promise<Flight[]> {
  const input = await openFlights(readPayload(file));
  if (input.kind !== 'flights') return [];
  return input.flights.flatMap((found) => (found.direction === 'response' ? decodeFlight(found.bytes) : []));
}

const payloads = [
  ...readdirSync(packageFixtures, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(?:flight|rsc|bin)$/.test(file) && !file.startsWith('react-'),
  ),
  ...readdirSync(exchanges, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json')),
];

/** What a value leads to, when it is an object. */
function openObject(flight: Flight, value: Value | undefined): Value | undefined {
  if (value?.kind !== 'reference') return value?.kind === 'object' ? value : undefined;
  const found = resolveTarget(flight, value);
  return found.kind === 'value' && found.value.kind === 'object' ? found.value : undefined;
}

/** The ways to the members of the root, and with Next.js to those of its tree’s first node. */
function listWays(flight: Flight): string[][] {
  const root = openObject(flight, flight.root === undefined ? undefined : readRowValue(flight, flight.root));
  const ways: string[][] = [];
  function add(way: readonly string[], value: Value | undefined): void {
    const object = openObject(flight, value);
    if (!object) return;
    for (const { key, value: member } of readEntries(flight, object)) {
      ways.push([...way, key]);
      if (['t', 't.t', 't.t.d'].includes([...way, key].join('.'))) add([...way, key], member);
    }
  }
  add([], root);
  return ways;
}

describe('roots', () => {
  let explained = 0;

  test.each(payloads)('every member of the root of %s is explained', async (file) => {
    for (const flight of await openAll(file)) {
      const framework = guessFramework(flight)?.guess;
      if (!framework || framework === 'tanstack-start') continue;
      const ways = listWays(flight);
      // Next.js 13.4 to 14 have no object as their root, and prefetches of 15 another.
      const isOld = !ways.some(([key]) => key === 't');
      for (const way of ways) {
        expect(findRootKey(framework, way, isOld)?.key, `${framework} ${way.join('.')}`).toBeDefined();
        explained += 1;
      }
    }
  });

  it('are many', () => {
    expect(explained).toBeGreaterThan(500);
  });

  it('are known of most frameworks', () => {
    expect(new Set(rootWords.map(({ anchor }) => anchor)).size).toBe(rootWords.length);
    expect(findRootKey('next', ['t', 't', 'd', 'r'], false)?.key.name).toBe('rendered');
    expect(findRootKey('next', ['f'], true)?.key.name).toBe('Flight data');
    expect(findRootKey('waku', ['page:/about'], false)?.key.name).toBe('page');
    expect(findRootKey('waku', ['page:/about', 'x'], false)).toBeUndefined();
    expect(findRootKey('parcel', ['nowhere'], false)).toBeUndefined();
  });
});
