import { describe, expect, test } from 'vitest';

import { analyzeFlight, type AnalysisOptions } from './analysis.ts';
import { decodeFlight } from './decode-flight.ts';
import type { Finding } from './finding.ts';
import { maxParts } from './finding.ts';
import { scanFlight } from './scan-flight.ts';

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

/** A payload as the bytes of a row of another one. */
function nestIn(row: number, inner: string): string {
  return `${row.toString(16)}:o${encoder.encode(inner).length.toString(16)},${inner}`;
}

describe('a payload in a binary row', () => {
  const item = (text: string, client: string) =>
    `["$","article",null,{"className":"prose","children":[["$","${client}",null,{}],"${text}"]}]`;
  const outer = `1:I["a.js",[],"Chart"]\n0:{"shell":${item(noise(40_000), '$L1')},"cached":"$7"}\n`;

  test('repeats what the page has, whatever its rows’ ids are', () => {
    const same = `9:I["a.js",[],"Chart"]\n0:["$","main",null,{"children":${item(noise(40_000), '$L9')}}]\n`;
    const text = outer + nestIn(7, same);
    const [finding, ...others] = find(text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ kind: 'sent-twice', weight: 'cost' });
    expect(finding?.title).toMatch(
      /^The payload in row 7 repeats what the page has, such as <article.*: 40.* kB of 80.* kB/,
    );
    const { place: { start = 0, end = 0 } = {} } = finding ?? {};
    expect(text.slice(start, end)).toBe(item(noise(40_000), '$L9'));
    expect(finding?.bytes).toBe(end - start);
    const levels = nestIn(7, `0:{"deeper":"$2"}\n${nestIn(2, same)}`);
    expect(kindsOf(outer + levels)).toEqual(['cost sent-twice']);
  });

  test('is no copy where it has another text, another component or development’s data', () => {
    const others = [
      item(noise(40_000, 8), '$L1'),
      item(noise(40_000), '$L2'),
      `["$","p",null,{"children":"x"},{"owner":${item(noise(40_000), '$L1')}},[]]`,
    ];
    for (const other of others) {
      const inner = `1:I["a.js",[],"Chart"]\n2:I["b.js",[],"Table"]\n0:["$","main",null,{"children":${other}}]\n`;
      expect(kindsOf(outer + nestIn(7, inner))).toEqual([]);
    }
  });

  test('that lacks promised rows is noted, but not of a prerender', () => {
    const text = `0:{"cached":"$7"}\n${nestIn(7, '0:["$","p",null,{"children":"$L3"}]\n')}`;
    const [finding] = find(text);
    expect(finding).toMatchObject({ kind: 'halted', weight: 'note', place: { row: 1 } });
    expect(finding?.title).toBe('In the payload that row 7 holds, 1 row was promised and was not sent: 3.');
    expect(find(text, { facts: { isPrerender: true } })).toEqual([]);
    expect(kindsOf(text, { facts: { isCut: true } })).toEqual(['note halted']);
  });
});

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

  test('an error in a payload that stands in a binary row is told with that row', () => {
    const nest = (inner: string, row: number) =>
      `0:{"cached":"$${row}"}\n${row}:o${inner.length.toString(16)},${inner}`;
    const failed = '0:["$","main",null,{"children":"$L2"}]\n2:E{"digest":"1900000001"}\n';
    for (const text of [nest(failed, 7), nest(nest(failed, 3), 7)]) {
      expect(find(text)).toMatchObject([
        { kind: 'error', title: 'Row 7 is an error, digest 1900000001.', place: { row: 1 } },
      ]);
      expect(scanFlight([encoder.encode(text)]).errors).toEqual([{ id: expect.any(Number), digest: '1900000001' }]);
    }
    // Each level is read again: however many a stranger writes, the first few are.
    let deep = failed;
    for (let level = 0; level < 2_000; level += 1) deep = nest(deep, 7);
    expect(scanFlight([encoder.encode(deep)]).errors).toEqual([]);
    expect(find(deep)).toEqual([]);
    expect(find(nest('0:"what a person wrote: E"\n', 7))).toEqual([]);
    expect(find(nest(failed.replace('1900000001', 'NEXT_REDIRECT;replace;/;307;'), 7))).toEqual([]);
  });

  test('a payload without one whole row has its bytes as the place', () => {
    expect(find('zz')).toMatchObject([{ kind: 'malformed', place: { row: 0, start: 0, end: 2 } }]);
    expect(find('0:"b')).toMatchObject([{ kind: 'truncated', place: { row: 0, start: 0, end: 4 } }]);
    expect(find('')).toEqual([]);
  });

  test.each(['NEXT_REDIRECT;replace;/login;307;', 'NEXT_HTTP_ERROR_FALLBACK;404', 'REACT_ROUTER_REDIRECT:{}'])(
    'a framework that redirects or answers by throwing is no error: %s',
    (digest) => {
      expect(kindsOf(`0:"$L1"\n1:E{"digest":${JSON.stringify(digest)}}\n`)).not.toContain('problem error');
      expect(kindsOf('0:"$L1"\n1:E{"digest":"NEXT_STEP"}\n')).toContain('problem error');
    },
  );

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

  test.each(['0:["$L1"]\n', '0:["$L1"]\n1:"b'])('what was not kept is no problem of the app: %s', (text) => {
    const [finding, ...others] = find(text, { facts: { isKeptInPart: true } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      weight: 'note',
      title: `The first ${text.length} bytes were kept.`,
    });
  });

  test.each([halted, '0:["$L1"]\n1:"b'])('of a visitor who left no problem is made: %s', (text) => {
    const found = find(text, { facts: { isCut: true, isLeft: true } });
    expect(found).toMatchObject([
      { weight: 'note', advice: expect.stringContaining('look at how the response ended') },
    ]);
  });

  test('a stream without an end is its own place', () => {
    expect(find('0:{"a":"$1"}\n1:R\n')).toMatchObject([{ kind: 'halted', place: { row: 0, start: 7 } }]);
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

  test('of a prefetch nobody saw a fallback', () => {
    const prefetch = { facts: { isPrefetch: true } };
    const [text, options] = came([
      [0, suspense],
      [400, boundaries(1)],
      [800, '2:["$","p",null,{}]\n'],
    ]);
    expect(find(text, { ...options, ...prefetch })[0]?.title).toBe(
      'Suspense would have shown its fallback for 400 ms, until row 2 (<p>).',
    );
    const rows = [0, 1].map((row) => [500, `${row + 2}:["$","p",null,{}]\n`] as const);
    const [several, timed] = came([[0, suspense + boundaries(2)], ...rows]);
    expect(find(several, { ...timed, ...prefetch })[0]?.title).toBe(
      'Suspense 1 and 2 would have shown their fallbacks for 500 ms.',
    );
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
    const found = find(
      ...came([
        [0, '0:["$","main",null,{"children":"$L2"}]\n'],
        [500, '2:"x"\n'],
      ]),
    );
    expect(found).toMatchObject([
      { title: 'The page waited 500 ms for row 2 ("x"), outside every Suspense boundary of the payload.' },
    ]);
    expect(found[0]?.advice).toMatch(/ A Suspense boundary around it shows the rest of the page first\.$/);
  });

  test.each([
    ['0:{"page":"$L2"}\n', '', 'the framework’s client'],
    ['1:I["m",[],"Tabs"]\n0:["$","$L1",null,{"children":"$L2"}]\n', ' within <Tabs>', '<Tabs>'],
  ])('client code around it may have a boundary of its own: %j', (root, within, whose) => {
    const [found] = find(
      ...came([
        [0, root],
        [500, '2:"x"\n'],
      ]),
    );
    expect(found?.title).toBe(
      `The page may have waited 500 ms for row 2 ("x")${within}, outside every Suspense boundary of the payload.`,
    );
    expect(found?.advice).toContain(`Whether it did is in the code of ${whose}`);
  });

  test('a promise that a client component is given is no wait', () => {
    const rows = ['5:I["m",[],"Later"]\n', suspense, '0:["$","$1",null,{"fallback":0,"children":["$","$L5",null,'];
    const found = find(
      ...came([
        [0, `${rows.join('')}{"reviews":"$@2"}]}]\n`],
        [600, '2:"late"\n'],
      ]),
    );
    expect(found).toMatchObject([
      {
        kind: 'promise',
        weight: 'note',
        ms: undefined,
        title: 'The promise "reviews" of <Later> came 600 ms after it was given, in row 2 ("late").',
      },
    ]);
    expect(found[0]?.advice).toMatch(/^Whether anything waited for it cannot be known from the payload: /);
  });

  test('several such promises are one note, with each as a part', () => {
    const root = '0:[["$","$L5",null,{"a":["$@2"]}],["$","$L5",null,{"b":{"c":"$@3"}}],["$","$L5",null,{"d":"$@4"}]]\n';
    const found = find(
      ...came([
        [0, `5:I["m",[],"Later"]\n${root}`],
        [299, '4:"soon"\n'],
        [400, '2:"x"\n'],
        [1200, '3:E{"digest":"NEXT_REDIRECT;replace;/login;307;"}\n'],
      ]),
    );
    expect(found.map(({ kind, title }) => [kind, title])).toEqual([
      ['promise', '2 promises that client code was given came 400 ms to 1.2 s after being given.'],
    ]);
    expect(found[0]?.parts.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^The promise "b\.c" of <Later> failed 1\.2 s after it was given, in row 3 /),
      'The promise "a.0" of <Later> came 400 ms after it was given, in row 2 ("x")',
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
      /^The prop b of <Chart> carries 9\.01 kB of 12\.1 kB, about [56]\.\d+ kB after compression\.$/,
    );
    expect(found[3]?.title).toMatch(/^The prop a of <Chart> carries 3 kB/);
  });

  /** A row 1 that is a client component, then the root. */
  const chart = '1:I["m",[],"Chart"]\n0:["$","$L1",null,';

  test('a cost begins at a packet after compression', () => {
    const about = (length: number) => find(`${chart}{"data":"${noise(length)}"}]\n`).map(({ kind }) => kind);
    // Base 36: some 5.2 bits a character.
    expect(about(1900)).toEqual([]);
    expect(about(2300)).toEqual(['large-prop']);
    const [told] = find(`${chart}{"data":"${noise(2300)}"}]\n`);
    expect(told?.compressed).toBeGreaterThanOrEqual(1400);
  });

  test('repeats below a packet are not told', () => {
    const labels = Array.from({ length: 250 }, (_, item) => noise(40, item + 1));
    const page = `0:[["$","ul",null,{"children":${JSON.stringify(labels)}}],["$","ol",null,{"title":${JSON.stringify(labels.toReversed())}}]]\n`;
    const { duplicates } = analyzeFlight(decodeFlight(encoder.encode(page)));
    expect(duplicates.compressed).toBeGreaterThan(600);
    expect(duplicates.compressed).toBeLessThan(1400);
    expect(kindsOf(page)).toEqual([]);
  });

  const longText = noise(6000);
  test.each([
    [
      '["$","script",null,{"dangerouslySetInnerHTML":{"__html":"TEXT"}}]',
      /^It stands in the page and is sent with each payload: /,
    ],
    [
      '["$","style",null,{"dangerouslySetInnerHTML":{"__html":"TEXT"}}]',
      /^It stands in the page and is sent with each payload: /,
    ],
    ['["$","path",null,{"d":"TEXT"}]', /^An attribute is sent with each payload: /],
    ['["$","div",null,{"dangerouslySetInnerHTML":{"__html":"TEXT"}}]', undefined],
    ['["$","div",null,{"className":"TEXT"}]', undefined],
    ['["$","div",null,{"children":"TEXT"}]', undefined],
    ['["$","$L1",null,{"dangerouslySetInnerHTML":"TEXT"}]', /^Send only what the component reads; /],
    ['["$","$L1",null,{"children":"TEXT"}]', undefined],
  ])('a large prop is told with what can be done about it: %s', (element, advice) => {
    const found = find(`1:I["m",[],"Chart"]\n0:["$","$L1",null,{"a":${element.replace('TEXT', longText)}}]\n`);
    expect(found.map(({ kind, advice: told }) => [kind, told])).toEqual(
      advice ? [['large-prop', expect.stringMatching(advice)]] : [],
    );
  });

  test('a large prop names what is largest in it', () => {
    const items = Array.from({ length: 40 }, (_, id) => ({ id, text: noise(100, id), note: noise(50, id + 50) }));
    const [found] = find(`1:I["m",[],"Chart"]\n0:["$","$L1",null,{"items":${JSON.stringify(items)}}]\n`);
    expect(found?.kind).toBe('large-prop');
    expect(found?.parts).toEqual([
      { title: 'text × 40', bytes: 40 * 102, place: expect.anything() },
      { title: 'note × 40', bytes: 40 * 52, place: expect.anything() },
      { title: 'names of the fields', bytes: 40 * '{"id":,"text":,"note":}'.length, place: expect.anything() },
    ]);
  });

  test('a large prop names no more fields than a finding may have parts', () => {
    const item = Object.fromEntries(Array.from({ length: 14 }, (_, name) => [`field${name}`, noise(600, name)]));
    const [found] = find(`1:I["m",[],"Chart"]\n0:["$","$L1",null,{"item":${JSON.stringify(item)}}]\n`);
    expect(found?.parts).toHaveLength(maxParts);
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
