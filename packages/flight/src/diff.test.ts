import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { diffFlights, type FlightDiff } from './diff.ts';
import { responsePlans } from './testing/differential/plans.ts';
import { loadLine } from './testing/differential/react-lines.ts';
import { encodeResponse } from './testing/differential/responses.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));

function diff(before: string, after: string): FlightDiff {
  return diffFlights(decodeFlight(encoder.encode(before)), decodeFlight(encoder.encode(after)));
}

/** Each difference in a line: kind, path, texts. */
function lines({ groups }: FlightDiff): string[] {
  return groups.flatMap(({ kind, entries }) =>
    entries.map(({ path: names, before, after }) =>
      [kind, names.join('/'), ...[before, after].flatMap((side) => (side ? [side.text] : []))].join(' '),
    ),
  );
}

test.each(fixtures)('%s is the same as itself', (file) => {
  const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
  expect(diffFlights(decodeFlight(bytes), decodeFlight(bytes))).toMatchObject({
    groups: [],
    notSent: [],
    isCut: false,
  });
});

test.each(['production', 'development'] as const)('whatever React sends in %s is the same as itself', async (mode) => {
  const line = loadLine('19.3', mode);
  await fc.assert(
    fc.asyncProperty(responsePlans, async (plan) => {
      const bytes = await encodeResponse(plan, line);
      if (bytes) expect(lines(diffFlights(decodeFlight(bytes), decodeFlight(bytes)))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('rows that refer to each other ten times are compared, and it ends', () => {
  const depth = 8_000;
  const hex = (row: number) => row.toString(16);
  const chain = Array.from(
    { length: depth },
    (_, row) =>
      `${hex(row + 1)}:[${Array(10)
        .fill(`"$${hex(row + 2)}"`)
        .join(',')}]\n`,
  );
  const { counts } = diff('0:["$0","$0"]\n1:["$2","$2"]\n2:["$1","$1"]\n', `${chain.join('')}0:"$1"\n`);
  expect(counts.added).toBeGreaterThan(depth);
});

/** A payload of rows, the root last. */
function rows(...each: string[]): string {
  return `${each.join('\n')}\n`;
}

describe('the same', () => {
  test.each([
    [
      'rows of other ids',
      '0:["$","p",null,{"children":"$L1"}]\n1:"a"\n',
      '0:["$","p",null,{"children":"$L7"}]\n7:"a"\n',
    ],
    ['a row of its own, or in place', '0:{"a":"$1"}\n1:["x"]\n', '0:{"a":["x"]}\n'],
    ['text in a row of its own, or in place', '0:{"a":"$1"}\n1:T3,abc', '0:{"a":"abc"}\n'],
    ['the order of keys', '0:{"a":1,"b":2}\n', '0:{"b":2,"a":1}\n'],
    ['module rows', '1:I["m",[],"C"]\n0:["$","$L1",null,{}]\n', '5:I["m",[],"C"]\n0:["$","$L5",null,{}]\n'],
    ['a circle', '0:{"a":"$0"}\n', '0:{"a":"$0"}\n'],
    ['errors with digests of their own', '0:"$L1"\n1:E{"digest":"a"}\n', '0:"$L1"\n1:E{"digest":"b"}\n'],
    ['a Map in another row', rows('1:[["k","v"]]', '0:"$Q1"'), rows('9:[["k","v"]]', '0:"$Q9"')],
    ['a Map in another order', rows('1:[["a",1],["b",2]]', '0:"$Q1"'), rows('1:[["b",2],["a",1]]', '0:"$Q1"')],
    ['a Map whose keys are objects', rows('1:[[{"x":1},2]]', '0:"$Q1"'), rows('2:{"x":1}', '1:[["$2",2]]', '0:"$Q1"')],
    ['items in rows of other ids', rows('1:{"x":1}', '0:["$1",{"y":2}]'), rows('5:{"y":2}', '0:[{"x":1},"$5"]')],
    [
      'a stream of bytes that was cut elsewhere',
      rows('1:r', '1:o2,ab1:o1,c1:C', '0:"$1"'),
      rows('7:r', '7:o1,a7:o2,bc7:C', '0:"$7"'),
    ],
    ['Flight within Flight, of other ids', nest(rows('1:"a"', '0:["$1"]')), nest(rows('2:"a"', '0:["$2"]'))],
    ['what development left out', '0:{"a":"$Y1"}\n', '0:{"a":"$Y9"}\n'],
  ])('%s', (_, before, after) => {
    expect(lines(diff(before, after))).toEqual([]);
  });
});

/** A payload whose root is another payload's bytes, as Next.js sends cached parts. */
function nest(inner: string): string {
  return `1:o${inner.length.toString(16)},${inner}0:"$1"\n`;
}

function page(...items: string[]): string {
  return `0:["$","ul",null,{"children":[${items.join(',')}]}]\n`;
}

function item(key: string, text: string): string {
  return `["$","li","${key}",{"children":"${text}"}]`;
}

describe('different', () => {
  test('a text, with its path, places and bytes', () => {
    const changes = diff(page(item('a', 'one'), item('b', 'two')), page(item('a', 'one'), item('b', 'three')));
    expect(lines(changes)).toEqual(['changed <ul>/<li key="b"> "two" "three"']);
    expect(changes.groups[0]?.entries[0]).toMatchObject({
      before: { bytes: 5, place: { row: 0 } },
      after: { bytes: 7 },
    });
    expect(changes).toMatchObject({ removedBytes: 5, addedBytes: 7 });
  });

  test('a keyed item is added, removed and moved', () => {
    const before = page(item('a', '1'), item('b', '2'), item('c', '3'), item('d', '4'));
    expect(lines(diff(before, page(item('d', '4'), item('a', '1'), item('c', '3'), item('e', '5'))))).toEqual([
      'added <ul>/<li key="e"> <li key="e">',
      'removed <ul>/<li key="b"> <li key="b">',
      'moved <ul>/<li key="d"> <li key="d"> <li key="d">',
    ]);
  });

  test('a moved item is looked into', () => {
    const changes = diff(page(item('a', '1'), item('b', '2')), page(item('b', '2'), item('a', 'x')));
    expect(changes.counts).toEqual({ added: 0, removed: 0, changed: 1, moved: 1 });
  });

  test('without keys, in order', () => {
    const changes = diff(page('"one"', '["$","b",null,{}]', '"two"'), page('["$","b",null,{"id":"x"}]', '"two"'));
    expect(lines(changes)).toEqual(['removed <ul>/0 "one"', 'added <ul>/<b>/id "x"']);
  });

  test('another type is another element', () => {
    expect(lines(diff('0:["$","p",null,{}]\n', '0:["$","b",null,{}]\n'))).toEqual(['changed <p> <p> <b>']);
  });

  test('values of other kinds', () => {
    expect(lines(diff('0:{"a":"1","b":[],"c":"$D2026","d":1}\n', '0:{"a":1,"b":{},"c":"2026"}\n'))).toEqual([
      'changed c Date(2026) "2026"',
      'changed a "1" 1',
      'changed b Array(0) {}',
      'removed d 1',
    ]);
  });

  test('an error instead of a value, and a row that never came', () => {
    expect(diff('0:"$L1"\n1:"a"\n', '0:"$L1"\n1:E{"digest":"x"}\n').counts.changed).toBe(1);
    expect(diff('0:"$L1"\n1:"a"\n', '0:"$L1"\n').counts.changed).toBe(1);
    expect(diff('', '0:1\n').counts.changed).toBe(1);
  });
});

test('pages of two routes of Waku are compared with each other', () => {
  const carry = (route: string, text: string) =>
    `0:{"root":"r","page:${route}":"${text}","layout:/a":1,"layout:${route}":2,"ROUTE":["${route}",""],"IS_STATIC":false}\n`;
  const changes = diff(carry('/b', 'one'), carry('/c', 'two'));
  expect(lines(changes)).toEqual(['changed page:/b "one" "two"', 'changed ROUTE/0 "/b" "/c"']);
  expect(changes.notSent).toEqual([]);
  const several = diff('0:{"page:/b":1,"page:/c":2,"ROUTE":["/",""]}\n', '0:{"page:/d":1,"ROUTE":["/",""]}\n');
  expect(several.notSent.map(({ key }) => key)).toEqual(['page:/b', 'page:/c', 'page:/d']);
});

describe('containers are compared by their content', () => {
  test('a Map, by its keys', () => {
    const changes = diff(
      rows('1:[["a",["$","p",null,{"children":"one"}]],["b",2]]', '0:"$Q1"'),
      rows('3:[["c",3],["a",["$","p",null,{"children":"two"}]]]', '0:"$Q3"'),
    );
    expect(lines(changes)).toEqual(['changed ["a"]/<p> "one" "two"', 'added ["c"] 3', 'removed ["b"] 2']);
  });

  test('a Set and an iterable, item by item', () => {
    expect(lines(diff(rows('1:["a","b"]', '0:"$W1"'), rows('1:["b","c","a"]', '0:"$W1"')))).toEqual([
      'added 1 "c"',
      'moved 0 "b" "b"',
    ]);
    expect(lines(diff(rows('1:X', '1:"a"', '1:C', '0:"$1"'), rows('2:X', '2:"a"', '2:"b"', '2:C', '0:"$2"')))).toEqual([
      'added 1 "b"',
    ]);
    expect(lines(diff(rows('1:x', '1:"a"', '1:C"end"', '0:"$1"'), rows('1:x', '1:"a"', '1:C"fin"', '0:"$1"')))).toEqual(
      ['changed 1 "end" "fin"'],
    );
  });

  test('a FormData, by its fields', () => {
    expect(lines(diff(rows('1:[["a","1"],["b","2"]]', '0:"$K1"'), rows('1:[["b","3"],["a","1"]]', '0:"$K1"')))).toEqual(
      ['changed ["b"] "2" "3"'],
    );
  });

  test('bytes, and a stream that failed', () => {
    expect(diff(rows('1:r', '1:o2,ab1:C', '0:"$1"'), rows('1:r', '1:o2,ac1:C', '0:"$1"')).counts.changed).toBe(1);
    expect(
      diff(rows('1:X', '1:"a"', '1:C', '0:"$1"'), rows('1:X', '1:"a"', '1:E{"digest":"d"}', '0:"$1"')).counts.changed,
    ).toBe(1);
  });

  test('Flight within Flight, which leads to the row that holds it', () => {
    const changes = diff(nest('0:["$","p",null,{"children":"one"}]\n'), nest('0:["$","p",null,{"children":"two"}]\n'));
    expect(lines(changes)).toEqual(['changed <p> "one" "two"']);
    expect(changes.groups[0]?.entries[0]?.after?.place).toMatchObject({ row: 0, start: 0 });
  });

  test('an error that development describes', () => {
    const failed = (message: string) => `1:E{"digest":"","name":"Error","message":"${message}","stack":[]}\n0:"$L1"\n`;
    expect(diff(failed('a'), failed('b')).counts.changed).toBe(1);
    expect(diff(failed('a'), failed('a')).counts.changed).toBe(0);
  });
});

describe('lists without keys', () => {
  const p = (text: string) => `["$","p",null,{"children":"${text}"}]`;

  test.each([
    ['an element before others', [p('a'), p('b'), p('c')], [p('new'), p('a'), p('b'), p('c')], ['added <ul>/<p> <p>']],
    [
      'one of several equal ones',
      ['"-"', p('a'), '"-"'],
      ['"-"', p('a'), '"-"', p('b'), '"-"'],
      ['added <ul>/<p> <p>', 'added <ul>/4 "-"'],
    ],
    ['two that changed places', [p('a'), p('b')], [p('b'), p('a')], ['moved <ul>/<p> <p> <p>']],
    [
      'one that changed between others',
      [p('a'), p('b'), p('c')],
      [p('a'), p('x'), p('c')],
      ['changed <ul>/<p> "b" "x"'],
    ],
    [
      'data',
      ['{"id":1,"n":"a"}', '{"id":2,"n":"b"}'],
      ['{"id":3,"n":"c"}', '{"id":1,"n":"a"}', '{"id":2,"n":"b"}'],
      ['added <ul>/0 {id, n}'],
    ],
    ['numbers', ['1', '2', '3', '4'], ['2', '3', '4', '5'], ['added <ul>/3 5', 'removed <ul>/0 1']],
  ])('%s', (_, before, after, expected) => {
    expect(lines(diff(page(...before), page(...after))).toSorted()).toEqual(expected.toSorted());
  });

  test('equal items in another order are not taken for the same list', () => {
    const changes = diff(page('"y"', '"x"', '"y"', '"x"'), page('"x"', '"y"', '"x"', '"y"'));
    expect(lines(changes)).toEqual(['moved <ul>/3 "y" "y"']);
  });

  test('one that moved stays itself beside one that changed', () => {
    expect(lines(diff(page(p('a'), p('b'), p('x')), page(p('b'), p('a'), p('y')))).toSorted()).toEqual([
      'changed <ul>/<p> "x" "y"',
      'moved <ul>/<p> <p> <p>',
    ]);
  });

  test('the same content in a row of its own or in place', () => {
    const before = rows('1:{"a":"$2"}', '2:T4,deep0:["$1",{"a":"other"}]');
    expect(lines(diff(before, '0:[{"a":"new"},{"a":"deep"},{"a":"other"}]\n'))).toEqual(['added 0 {a}']);
  });

  test('the same content whatever the ids and the order of keys', () => {
    const before = rows('1:{"a":"x","b":["$2"]}', '2:"deep"', '0:["$1",{"n":1}]');
    const after = rows('8:"deep"', '9:{"b":["$8"],"a":"x"}', '0:[{"n":0},"$9",{"n":1}]');
    expect(lines(diff(before, after))).toEqual(['added 0 {n}']);
  });
});

describe('for a reader', () => {
  test('the same change is one group, the heaviest group is first', () => {
    const before = page(...Array.from({ length: 300 }, (_, key) => `["$","li","${key}",{"className":"old"}]`), '"a"');
    const after = page(...Array.from({ length: 300 }, (_, key) => `["$","li","${key}",{"className":"newer"}]`), '"b"');
    expect(diff(before, after).groups).toMatchObject([
      {
        kind: 'changed',
        inside: '<li>',
        names: ['className'],
        count: 300,
        beforeBytes: 1500,
        afterBytes: 2100,
        before: { text: 'old', isText: true, isCut: false },
        after: { text: 'newer' },
      },
      { inside: '<ul>', names: [], count: 1 },
    ]);
  });

  test('a long text is cut in its group, with a word that says so', () => {
    const [group] = diff('0:{"a":"x"}\n', `0:{"a":"${'y'.repeat(3000)}"}\n`).groups;
    expect(group?.after).toEqual({ text: 'y'.repeat(2000), isText: true, isCut: true });
    const [added] = diff('0:{}\n', `0:{"a":["x${'é'.repeat(3000)}"]}\n`).groups;
    expect(added?.after).toMatchObject({ isText: false, isCut: true, text: `["x${'é'.repeat(998)}` });
  });

  test('what accounts for the difference adds up to it', () => {
    const before = decodeFlight(encoder.encode(page(item('a', 'one'))));
    const after = decodeFlight(
      encoder.encode(rows('1:I["m",[],"C"]') + page(item('a', 'one'), item('b', 'two'), '["$","b",null,{"id":"x"}]')),
    );
    const { causes, bytes } = diffFlights(before, after);
    expect(bytes).toEqual({ before: before.bytes.length, after: after.bytes.length });
    expect(causes.reduce((sum, cause) => sum + cause.after - cause.before, 0)).toBe(bytes.after - bytes.before);
    expect(causes.map(({ name }) => name)).toEqual(['<li>', '<b>', 'outside elements', '<ul>']);
    expect(causes[0]).toMatchObject({ countBefore: 1, countAfter: 2 });
    expect(causes[1]?.props).toEqual([{ name: 'id', before: 0, after: 7 }]);
  });
});

test('a part that Waku did not send again is not removed', () => {
  const whole = '0:{"root":["$","html",null,{}],"page:/":"a","ROUTE":["/",""],"IS_STATIC":false}\n';
  const part = '0:{"page:/":"b","ROUTE":["/",""],"IS_STATIC":false}\n';
  const changes = diff(whole, part);
  expect(lines(changes)).toEqual(['changed page:/ "a" "b"']);
  expect(changes.notSent).toMatchObject([{ key: 'root', missingIn: 'after', bytes: '["$","html",null,{}]'.length }]);
  expect(diff(part, whole).notSent).toMatchObject([{ key: 'root', missingIn: 'before' }]);
});

describe('Next.js’s own data', () => {
  const modules = [
    '1:I[1,[],"ViewportBoundary"]',
    '2:I[2,[],"MetadataBoundary"]',
    '3:I[3,[],"default"]',
    '4:I[4,[],"default"]',
    '5:I[5,[],"Mine"]',
  ];
  const root = (rest: string, ...items: string[]) =>
    rows(...modules, `0:{${rest},"b":"id","t":{"t":{"s":"","h":1,"d":{"r":[${items.join(',')}]}}}}`);
  const ofPage = (text: string) => `["$","p",null,{"children":"${text}"}]`;
  const plain = '"q":"","i":false,"S":true,"r":null';
  const own = (changes: FlightDiff, isOwn = true) =>
    lines({ ...changes, groups: changes.groups.filter(({ isOwnData }) => isOwnData === isOwn) });

  test('comes last, together, and is summed up', () => {
    const after = '"q":"a=1","i":true,"S":true,"r":null';
    const changes = diff(root(plain, ofPage('a')), root(after, ofPage('b')));
    expect(changes.groups.map(({ isOwnData }) => isOwnData)).toEqual([false, true, true]);
    expect(own(changes)).toEqual(['changed q "" "a=1"', 'changed i false true']);
    expect(changes.own).toEqual({ framework: 'next', differences: 2, beforeBytes: 7, afterBytes: 9 });
  });

  test('is what frames the head, and the layout router; their keys are of one request', () => {
    const frames = (key: string, title: string) => [
      `["$","$L1",${key},{}]`,
      `["$","$L2",${key},{"children":["$","title",null,{"children":"${title}"}]}]`,
    ];
    const changes = diff(root(plain, ...frames('null', 'a')), root(plain, ...frames('"x7v"', 'b')));
    expect(lines(changes)).toEqual([
      'changed t.t.d.r/<MetadataBoundary>/<title> "a" "b"'.replaceAll('t.t.d.r', 't/t/d/r'),
    ]);
    expect(own(changes, false)).toHaveLength(1);
    const router = (inside: string) => `["$","$L3",null,{"parallelRouterKey":"children",${inside}}]`;
    const bare = '"template":["$","$L4",null,{}]';
    expect(own(diff(root(plain), root(plain, ...frames('null', 'a'), router(bare))))).toHaveLength(3);
    expect(own(diff(root(plain), root(plain, router(`${bare},"notFound":${ofPage('a')}`))))).toEqual([]);
    expect(own(diff(root(plain), root(plain, router('"template":["$","$L5",null,{"a":1}]'))))).toEqual([]);
    expect(own(diff(root(plain), root(plain, '["$","$L5",null,{}]')))).toEqual([]);
  });

  test.each([
    ['a frame', '["$","$L1",null,{}]', 1],
    ['the layout router', '["$","$L3",null,{"parallelRouterKey":"children"}]', 1],
    ['another component', '["$","$L5",null,{}]', 0],
  ])('is, within an element, %s', (_, element, count) => {
    const around = (inside: string) => root(plain, `["$","div",null,{"children":[${inside}]}]`);
    expect(own(diff(around(''), around(element)))).toHaveLength(count);
  });

  test('is nothing within an element, or with one, or with too many values to look at', () => {
    expect(own(diff(root(plain, ofPage('a')), root(plain, ofPage('b'))))).toEqual([]);
    expect(own(diff(root(plain), root(`${plain},"x":{"y":[${ofPage('a')}]}`)))).toEqual([]);
    const many = (count: number) => `${plain},"x":[${Array.from({ length: count }, () => 1).join(',')}]`;
    expect(own(diff(root(plain), root(many(400))))).toHaveLength(1);
    expect(own(diff(root(plain), root(many(600))))).toEqual([]);
  });

  test('is not what a server action returned', () => {
    const action = (result: string, query: string) => `0:{"a":${result},"f":"","b":"id","q":"${query}"}\n`;
    const changes = diff(action('"one"', ''), action('"two"', 'x'));
    expect(own(changes)).toEqual(['changed q "" "x"']);
    expect(own(changes, false)).toEqual(['changed a "one" "two"']);
  });

  test('is not looked for in what another framework sent', () => {
    const changes = diff('0:{"a":1}\n', '0:{"a":2}\n');
    expect(changes.groups.map(({ isOwnData }) => isOwnData)).toEqual([false]);
    expect(changes.own).toBeUndefined();
    expect(diff('0:{"a":1}\n', root(plain)).own).toBeUndefined();
  });
});

describe('bounds', () => {
  test('1000 differences of a group are listed, all are counted', () => {
    const changes = diff(page(), page(...Array.from({ length: 3000 }, (_, key) => item(String(key), 'x'))));
    expect(changes.groups).toMatchObject([{ count: 3000, inside: '<ul>' }]);
    expect(changes.groups[0]?.entries).toHaveLength(1000);
    expect(changes).toMatchObject({ counts: { added: 3000 }, unlisted: { groups: 0 }, isCut: false });
  });

  test('2000 groups are listed, the heaviest, and the rest is counted', () => {
    const texts = Array.from({ length: 3000 }, (_, index) => String(index).padStart(index + 1, 'x'));
    const changes = diff(
      page(...texts.map((_, key) => item(String(key), ''))),
      page(...texts.map((text, key) => item(String(key), text))),
    );
    expect(changes.groups).toHaveLength(2000);
    expect(changes.groups[0]).toMatchObject({ afterBytes: 3002 });
    expect(changes.unlisted).toMatchObject({ groups: 1000, differences: 1000 });
    expect(changes.counts.changed).toBe(3000);
  });

  test.each([
    ['reversed', (count: number) => Array.from({ length: count }, (_, key) => item(String(count - key), 'x'))],
    ['new', (count: number) => Array.from({ length: count }, (_, key) => item(`n${key}`, 'x'))],
  ])(
    'a long list %s takes no longer than its length',
    (_, make) => {
      const before = page(...Array.from({ length: 20_000 }, (__, key) => item(String(key), 'x')));
      const start = process.cpuUsage();
      diff(before, page(...make(20_000)));
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1000).toBeLessThan(4000);
    },
    60_000,
  );

  test('deep nesting', () => {
    const deep = (inner: string) => `0:${'['.repeat(9000)}${inner}${']'.repeat(9000)}\n`;
    const changes = diff(deep('1'), deep('2'));
    expect(changes.counts.changed).toBe(1);
    expect(changes.groups[0]?.entries[0]?.path).toHaveLength(60);
  });

  test('bytes that were changed at random never throw', () => {
    const inputs = fixtures
      .map((file) => new Uint8Array(readFileSync(path.join(folder, file))))
      .filter((bytes) => bytes.length < 3000);
    const edit = fc.record({ at: fc.nat(3000), byte: fc.integer({ min: 0, max: 255 }), drop: fc.nat(3) });
    fc.assert(
      fc.property(fc.constantFrom(...inputs), fc.array(edit, { maxLength: 8 }), (input, edits) => {
        const bytes = Array.from(input);
        for (const { at, byte, drop } of edits) bytes.splice(at % bytes.length, drop, byte);
        const changes = diffFlights(decodeFlight(input), decodeFlight(Uint8Array.from(bytes)));
        expect(changes.groups.length).toBeLessThanOrEqual(2000);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a budget of values', () => {
  function cut(before: string, after: string, values: number): FlightDiff {
    return diffFlights(decodeFlight(encoder.encode(before)), decodeFlight(encoder.encode(after)), { values });
  }
  const list = (count: number, first = 0) => `0:[${Array.from({ length: count }, (_, at) => at + first).join(',')}]\n`;

  test('ends the comparison, and says so', () => {
    expect(cut(list(20), list(20, 1), 10)).toMatchObject({ isCut: true });
    expect(cut(list(20), list(20), 100)).toMatchObject({ isCut: false });
  });

  test('takes nothing for added or removed that was not read', () => {
    expect(lines(cut(list(15), list(30), 10))).toEqual([]);
    expect(lines(cut('0:{"a":1,"b":2,"c":3}\n', '0:{"a":1}\n', 3))).toEqual([]);
    expect(lines(cut('0:{"a":1,"b":2,"c":3}\n', '0:{"a":1}\n', 9))).toHaveLength(2);
  });

  test('is spent by long paths of references', () => {
    const refs = (last: number) => {
      const items = Array(1_000).fill('"$2"').join(',');
      return `1:${'{"a":'.repeat(5_000)}0${'}'.repeat(5_000)}\n2:"$1${':a'.repeat(5_000)}"\n0:[${items},${last}]\n`;
    };
    expect(cut(refs(1), refs(2), 50_000)).toMatchObject({ isCut: true });
  });

  test('is spent by long texts, however often they are referred to', () => {
    const refs = (letter: string) => `1:"${letter.repeat(64_000)}"\n0:[${Array(5_000).fill('"$1"').join(',')}]\n`;
    expect(cut(refs('a'), refs('b'), 50_000)).toMatchObject({ isCut: true });
  });
});

test('a payload without a row has no place to lead to', () => {
  for (const [before, after] of [
    ['0:"x"\n', ''],
    ['', '0:"x"\n'],
  ] as const) {
    const { groups } = diff(before, after);
    const places = groups.flatMap(({ entries }) => entries.map((entry) => [entry.before?.place, entry.after?.place]));
    const place = { row: 0, start: 2, end: 5 };
    expect(places).toEqual([before === '' ? [undefined, place] : [place, undefined]]);
  }
});
