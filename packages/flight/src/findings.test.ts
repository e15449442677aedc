import { describe, expect, test } from 'vitest';

import { analyzeFlight, type AnalysisOptions } from './analysis.ts';
import { decodeFlight } from './decode-flight.ts';
import type { Finding } from './finding.ts';
import { maxParts } from './finding.ts';

/** findings-corpus has the numbers, recounted in the bytes. Here: what is said, of what, and where. */
const encoder = new TextEncoder();

function find(text: string, options: AnalysisOptions = {}): readonly Finding[] {
  const flight = decodeFlight(encoder.encode(text));
  const { findings } = analyzeFlight(flight, options);
  for (const { place, parts, advice } of findings) {
    expect(advice).not.toBe('');
    expect(parts.length).toBeLessThanOrEqual(maxParts);
    for (const { row, start = 0, end = 0 } of [place, ...parts.map((part) => part.place)]) {
      expect(row).toBeLessThan(Math.max(flight.rows.count, 1));
      expect(end).toBeLessThanOrEqual(flight.bytes.length);
      expect(start).toBeLessThanOrEqual(end);
    }
  }
  return findings;
}

function kindsOf(text: string, options: AnalysisOptions = {}): string[] {
  return find(text, options).map(({ kind, weight }) => `${weight} ${kind}`);
}

/** Text that repeats nothing that compression finds. */
function noise(length: number, seed = 7): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, length);
}

function listOf(count: number, item: (index: number) => string): string {
  return `0:["$","ul",null,{"children":[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]}]\n`;
}

describe('how the payload ended', () => {
  test.each([
    ['error', '0:"$L1"\n1:E{"digest":"abc"}\n', 'Row 1 is an error, digest abc.'],
    ['error', '0:"$L1"\n1:E{"digest":""}\n', 'Row 1 is an error, no digest.'],
    [
      'malformed',
      '0:"a"\nzz',
      'The payload is malformed at byte 6: a row’s id must be lower-case hex digits and a colon.',
    ],
    ['truncated', '0:"a"\n1:"b', 'The payload ends too early, at byte 10: the last row has no end.'],
    [
      'aborted',
      '0:"$L1"\n2:E{"digest":"x"}\n1:"$2"\n',
      'Rendering was given up: rows refer to the error in row 2, digest x.',
    ],
  ])('%s', (kind, text, title) => {
    expect(find(text)).toMatchObject([{ kind, weight: 'problem', title }]);
  });

  test('a payload without one whole row has its bytes as the place', () => {
    expect(find('zz')).toMatchObject([{ kind: 'malformed', place: { row: 0, start: 0, end: 2 } }]);
    expect(find('0:"b')).toMatchObject([{ kind: 'truncated', place: { row: 0, start: 0, end: 4 } }]);
    expect(find('')).toEqual([]);
  });

  test('errors with one digest, and errors without, are told as one each', () => {
    const rows = Array.from({ length: 9 }, (_, row) => `${row + 1}:E{"digest":"${row < 4 ? '' : `d${row % 2}`}"}\n`);
    const found = find(`0:[${rows.map((_, row) => `"$L${row + 1}"`).join(',')}]\n${rows.join('')}`);
    expect(found.map(({ title }) => title)).toEqual([
      'Rows 1, 2, 3 and 4 are errors, no digest.',
      'Rows 5, 7 and 9 are errors, digest d0.',
      'Rows 6 and 8 are errors, digest d1.',
    ]);
    expect(found[0]?.parts.map(({ place }) => place.row)).toEqual([1, 2, 3, 4]);
  });

  test('of many different errors the first are told, and the others as one', () => {
    const rows = Array.from({ length: 30 }, (_, row) => `${(row + 1).toString(16)}:E{"digest":"d${row}"}\n`);
    const found = find(`0:"a"\n${rows.join('')}`);
    expect(found).toHaveLength(5);
    expect(found.at(-1)?.title).toBe('26 more rows are errors.');
  });

  test('development says which component threw', () => {
    const info = '{"name":"Reviews","stack":[["load","/srv/app/reviews.tsx",12,3,10,1,false]]}';
    expect(find(`0:"$L1"\n1:D${info}\n1:E{"digest":"x","message":"no"}\n`)[0]).toMatchObject({
      title: 'Row 1 is an error, digest x, in <Reviews> (app/reviews.tsx:12).',
      advice: 'no',
    });
  });
});

describe('rows that never came', () => {
  const halted = '0:["$L1","$La"]\n';
  /** Next.js 16 with `cacheComponents`: a segment that is asked for ahead. */
  const prefetched = '0:{"b":"build","t":{"t":{"s":"","c":"$@1"}}}\n';

  test('where nothing tells, both are said, and it is no problem', () => {
    expect(find(halted)).toMatchObject([
      {
        kind: 'halted',
        weight: 'note',
        title: '2 rows were promised and were not sent: 1 and a.',
        place: { row: 0, start: 3, end: 8 },
      },
    ]);
  });

  test.each<[string, string, AnalysisOptions]>([
    ['Next.js marks it', `~${halted}`, {}],
    ['it is a prefetch, as the payload says', prefetched, {}],
    ['it is a prefetch', halted, { facts: { isPrefetch: true } }],
    ['it is a prerender', halted, { facts: { isPrerender: true } }],
    ['the server ended it', halted, { facts: { isCut: false } }],
    ['Waku prerendered it', '0:{"ROUTE":["/",""],"IS_STATIC":true,"page:/":"$L1"}\n', {}],
    ['development says that each will not come', '0:["$L1"]\n1:\n', {}],
  ])('nothing is said when %s', (_, text, options) => {
    expect(decodeFlight(encoder.encode(text)).state.kind).toBe('halted');
    expect(find(text, options)).toEqual([]);
  });

  test.each([halted, `~${halted}`, prefetched])('a cut is a problem all the same: %s', (text) => {
    const facts = { isCut: true, isPrefetch: true, isPrerender: true };
    expect(kindsOf(text, { facts })).toEqual(['problem halted']);
  });

  test('a stream without an end is its own place', () => {
    expect(find('0:{"a":"$1"}\n1:R\n')).toMatchObject([{ kind: 'halted', place: { row: 0, start: 7 } }]);
  });
});

describe('unused modules', () => {
  const chunks = JSON.stringify([`/static/chunks/${noise(30)}.js`]);
  const unused = `1:I["a",${chunks},"Unused"]\n0:"x"\n`;

  test('are told with their names', () => {
    const [found] = find(unused);
    expect(found).toMatchObject({ kind: 'unused-modules', place: { row: 0 }, parts: [] });
    expect(found?.title).toContain('1 client module named and not used, Unused: ');
    const [two] = find(`${unused.slice(0, -6)}2:I["b",[],""]\n0:"x"\n`);
    expect(two?.title).toContain('2 client modules named and not used, Unused and default b: ');
    expect(two?.parts.map(({ title }) => title)).toEqual(['Unused', 'default b']);
  });

  test.each<[string, string, AnalysisOptions]>([
    ['truncated', `${unused}2:"b`, {}],
    ['malformed', `${unused}zz`, {}],
    ['halted', unused.replace('"x"', '["$L9"]'), { facts: { isPrerender: true } }],
    ['partial, as Next.js marks it', `~${unused}`, {}],
    ['cut', unused, { facts: { isCut: true } }],
    ['of a development server', `:N1\n${unused}`, {}],
    ['with an error', `${unused}2:E{"digest":"x"}\n`, {}],
  ])('are not told of a payload that is %s', (_, text, options) => {
    expect(find(text, options).filter(({ kind }) => kind === 'unused-modules')).toEqual([]);
  });

  test('the framework’s own are nobody’s to act on', () => {
    const next = '0:{"P":null,"c":["",""],"f":[],"G":["$1",[]]}\n';
    const own = '2:I["77",["a.js"],"OutletBoundary"]\n3:I["77",["a.js"],"default"]\n4:I["8",[],"default"]\n';
    expect(find(`1:I["5",["b.js"],"default"]\n${own}${next}`)).toEqual([]);
    expect(kindsOf(`1:I["5",["b.js"],"default"]\n${own}5:I["9",["c.js"],"Mine"]\n${next}`)).toEqual([
      'cost unused-modules',
    ]);
  });
});

describe('waits', () => {
  const suspense = '1:"$Sreact.suspense"\n';

  function boundaries(count: number): string {
    const elements = Array.from(
      { length: count },
      (_, item) => `["$","$1",null,{"fallback":0,"children":"$L${item + 2}"}]`,
    );
    return `0:[${elements.join(',')}]\n`;
  }

  /** Each row with the time at which it came. */
  function came(rows: readonly (readonly [ms: number, text: string])[]): readonly [string, AnalysisOptions] {
    const chunks = rows.map(([ms, text]) => ({ ms, bytes: encoder.encode(text).length }));
    return [rows.map(([, text]) => text).join(''), { chunks }];
  }

  test('a boundary that held the page', () => {
    const found = find(
      ...came([
        [0, suspense],
        [400, boundaries(1)],
        [800, '2:["$","p",null,{}]\n'],
      ]),
    );
    expect(found).toMatchObject([
      { kind: 'wait', weight: 'wait', ms: 400, title: 'Suspense showed its fallback for 400 ms, until row 2 (<p>).' },
    ]);
    expect(found[0]?.advice).toMatch(/^Row 2 came last, 800 ms after the start: /);
  });

  test('less than a person notices is not told', () => {
    expect(
      find(
        ...came([
          [0, suspense + boundaries(1)],
          [299, '2:0\n'],
        ]),
      ),
    ).toEqual([]);
    expect(
      kindsOf(
        ...came([
          [0, suspense + boundaries(1)],
          [300, '2:0\n'],
        ]),
      ),
    ).toEqual(['wait wait']);
  });

  test('outside every boundary it is the page that waits', () => {
    expect(
      find(
        ...came([
          [0, '0:{"page":"$L2"}\n'],
          [500, '2:"x"\n'],
        ]),
      ),
    ).toMatchObject([
      { title: 'The page waited 500 ms for row 2 ("x"), outside every Suspense boundary of the payload.' },
    ]);
  });

  test('like waits are one finding, with each as a part', () => {
    const rows = Array.from({ length: 5 }, (_, row) => [900 + row * 75, `${row + 3}:["$","p",null,{}]\n`] as const);
    const found = find(...came([[0, suspense + boundaries(6)], [10, '2:["$","b",null,{}]\n'], ...rows]));
    expect(found).toMatchObject([{ ms: 1200, title: 'Suspense 2 to 6 showed their fallbacks for 900 ms to 1.2 s.' }]);
    expect(found[0]?.parts.map(({ ms, title }) => [ms, title])).toEqual([
      [1200, 'Suspense 6, until <p>'],
      [1125, 'Suspense 5, until <p>'],
      [1050, 'Suspense 4, until <p>'],
      [975, 'Suspense 3, until <p>'],
      [900, 'Suspense 2, until <p>'],
    ]);
  });

  test('waits of one cause are apart when one is more than twice as long', () => {
    const rows = [400, 790, 810, 1600].map((ms, row) => [ms, `${row + 2}:["$","p",null,{}]\n`] as const);
    const titles = find(...came([[0, suspense + boundaries(4)], ...rows])).map(({ title }) => title);
    expect(titles).toEqual([
      'Suspense 3 and 4 showed their fallbacks for 810 ms to 1.6 s.',
      'Suspense 1 and 2 showed their fallbacks for 400 ms to 790 ms.',
    ]);
  });

  test('numbers that are no run are listed; unlike waits are apart', () => {
    const rows = [0, 1, 2].map((row) => [500, `${row + 2}:["$","${row === 1 ? 'b' : 'p'}",null,{}]\n`] as const);
    const titles = find(...came([[0, suspense + boundaries(3)], ...rows])).map(({ title }) => title);
    expect(titles.toSorted()).toEqual([
      'Suspense 1 and 3 showed their fallbacks for 500 ms.',
      'Suspense 2 showed its fallback for 500 ms, until row 3 (<b>).',
    ]);
  });

  test('of many unlike waits the longest are told, and the others as one', () => {
    const rows = Array.from(
      { length: 9 },
      (_, row) => [500 + row, `${(row + 2).toString(16)}:["$","x${row}",null,{}]\n`] as const,
    );
    const page = boundaries(9).replace('$L10', '$La');
    const found = find(...came([[0, suspense + page], ...rows]));
    expect(found).toHaveLength(5);
    expect(found.at(-1)?.title).toBe('5 more boundaries showed their fallbacks for 500 ms to 504 ms.');
  });

  test('two awaits, one after the other, could be one', () => {
    const debug = [
      '8:J{"name":"loadUser","start":10,"end":210}\n',
      '9:J{"name":"loadPosts","start":220,"end":500}\n',
      '2:D{"name":"Posts"}\n2:D{"awaited":"$8"}\n2:D{"awaited":"$9"}\n2:0\n',
    ];
    const [found] = find(
      ...came([
        [0, suspense + boundaries(1)],
        [500, debug.join('')],
      ]),
    );
    expect(found?.title).toBe(
      'Suspense showed its fallback for 500 ms, until <Posts>, which awaited loadPosts for 280 ms.',
    );
    expect(found?.advice).toMatch(/^It awaited loadUser and then loadPosts: .*\(Promise\.all\)\.$/);
    expect(found?.parts.map(({ title }) => title)).toEqual([
      'Awaited loadPosts for 280 ms',
      'Awaited loadUser for 200 ms',
    ]);
    const [together] = find(
      ...came([
        [0, suspense + boundaries(1)],
        [500, debug.join('').replace('220', '20')],
      ]),
    );
    expect(together?.advice).toBe('Start loadPosts earlier, make it faster, or cache what it gives.');
  });
});

describe('what it costs', () => {
  test('what compression takes away is not told', () => {
    const name = 'flex items-center justify-between rounded-lg border px-4 py-2';
    expect(
      find(listOf(300, (item) => `["$","li","${item}",{"className":"${name}","children":"item ${item}"}]`)),
    ).toEqual([]);
  });

  test('problems come first, then waits, costs by what is left after compression, then notes', () => {
    const big = noise(9000);
    const text = `1:I["m",[],"Chart"]\n0:["$","$L1",null,{"a":"${noise(3000, 3)}","b":["${big}"],"c":"$L2","d":"$L3","e":"$L9"}]\n`;
    const chunks = [
      { ms: 0, bytes: text.length },
      { ms: 900, bytes: 100 },
    ];
    const found = find(`${text}2:"later"\n3:E{"digest":"x"}\n`, { chunks });
    expect(found.map(({ weight }) => weight)).toEqual(['problem', 'wait', 'cost', 'cost', 'note']);
    expect(found[2]?.title).toMatch(
      /^b of <Chart> carries 9\.01 kB of 12\.1 kB, about [56]\.\d+ kB after compression\.$/,
    );
    expect(found[3]?.title).toMatch(/^a of <Chart> carries 3 kB/);
  });

  test('a file in a prop is told once', () => {
    const file = Buffer.from(Array.from({ length: 3000 }, (_, item) => (item * 7919 + (item >> 3)) % 251)).toString(
      'base64',
    );
    expect(kindsOf(`0:["$","img",null,{"src":"data:image/png;base64,${file}"}]\n`)).toEqual(['cost base64']);
  });

  test('a text that is sent twice: how often, and what to do', () => {
    const text = noise(3000);
    const [found] = find(`0:{"a":"${text}","b":{"c":"${text}"}}\n`).filter(({ kind }) => kind === 'sent-twice');
    // The second copy is a few matches of 258 bytes: it costs nothing worth saying.
    expect(found).toBeUndefined();
    const labels = Array.from({ length: 700 }, (_, item) => noise(40, item + 1));
    const twice = `0:[["$","ul",null,{"children":${JSON.stringify(labels)}}],["$","ol",null,{"title":${JSON.stringify(labels.toReversed())}}]]\n`;
    const [told] = find(twice).filter(({ kind }) => kind === 'sent-twice');
    expect(told?.title).toMatch(
      /^700 values are sent more than once: 29\.4 kB of 60\.\d kB, about \d\.\d+ kB after compression\.$/,
    );
    expect(told?.advice).toBe(
      'React writes a text each time it is used: a client component that gets it once can use it in several places.',
    );
    expect(told?.parts.map(({ title }) => title)).toEqual(['700 texts in <ul> and title of <ol>']);
  });
});

test.each([
  ['nothing', ''],
  ['a small page', '0:["$","p",null,{"children":"Hello"}]\n'],
  ['short repeats', listOf(20, (item) => `["$","li","${item}",{"className":"a","children":"b"}]`)],
  ['a long text', `0:["$","p",null,{"children":"${'some words and some more '.repeat(200)}"}]\n`],
])('nothing is said of %s', (_, text) => {
  expect(find(text)).toEqual([]);
});
