import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { countMembers, hasMembers, identifyMembers, readMembers } from './members.ts';
import { openPart, partOfRow, placeOfPart, printPart, readPartText, rootPart, type Part } from './part.ts';

const encoder = new TextEncoder();

function decode(text: string | Uint8Array, direction: Flight['direction'] = 'response'): Flight {
  return decodeFlight(typeof text === 'string' ? encoder.encode(text) : text, { direction });
}

function rootOf(flight: Flight, came?: number): Part {
  const root = rootPart(flight, came);
  if (!root) throw new Error('no root');
  return root;
}

/** `name: what it stands for`, members indented, at most `depth` deep. */
function list(part: Part, depth = 3): string[] {
  const members = readMembers(part);
  expect(countMembers(part)).toBe(members.length);
  expect(hasMembers(part)).toBe(members.length > 0);
  if (members.length > 0) expect(identifyMembers(part)).toBeDefined();
  return members.flatMap(({ name, part: inner }) => [
    `${name}: ${printPart(openPart(inner))}`,
    ...(depth > 1 ? list(inner, depth - 1).map((line) => `  ${line}`) : []),
  ]);
}

function join(...pieces: (string | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...(typeof piece === 'string' ? encoder.encode(piece) : piece)]));
}

describe('the members of', () => {
  test.each<[string, string, string[]]>([
    ['an array', '0:[1,"$undefined",[]]\n', ['0: 1', '1: undefined', '2: Array(0)']],
    ['an object', '0:{"a":1,"b":{}}\n', ['a: 1', 'b: {}']],
    ['an array of prices', '0:{"prices":["$$5€","$$6€"]}\n', ['prices: Array(2)', '  0: "$5€"', '  1: "$6€"']],
    ['a leaf', '0:"text"\n', []],
    ['a Map', '0:"$Q1"\n1:[["a",1],[2,"b"]]\n', ['"a": 1', '2: "b"']],
    [
      'a Map whose keys are no words',
      '0:"$Q1"\n1:[[{"k":1},"v"],["only"]]\n',
      ['0: Array(2)', '  0: {k}', '    k: 1', '  1: "v"', '1: Array(1)', '  0: "only"'],
    ],
    ['a Map with a key of a page', `0:"$Q1"\n1:[["${'k'.repeat(90)}",1]]\n`, ['0: Array(2)']],
    ['FormData', '0:"$K1"\n1:[["name","value"]]\n', ['name: "value"']],
    ['a Set', '0:"$W1"\n1:["a","$2"]\n2:{"x":1}\n', ['0: "a"', '1: {x}', '  x: 1']],
    ['an iterator', '0:"$i1"\n1:["a"]\n', ['0: "a"']],
    ['a promise', '0:"$@1"\n1:{"a":1}\n', ['(value): {a}', '  a: 1']],
    ['a promise that is never settled', '0:"$@"\n', []],
    ['a lazy', '0:"$L1"\n1:["$","p",null,{"title":"t"}]\n', ['title: "t"']],
    [
      'a reference with a path',
      '0:{"a":"$1:b:0","c":"$1:b"}\n1:{"b":[{"x":1}]}\n',
      ['a: {x}', '  x: 1', 'c: Array(1)'],
    ],
    ['a server reference', '0:"$h1"\n1:{"id":"f#a","bound":"$@2"}\n2:["x"]\n', ['id: "f#a"', 'bound: Promise → 2']],
    ['a Blob', '0:"$B1"\n1:["text/plain","$2"]\n2:o2,ab', ['0: "text/plain"', '1: Uint8Array(2 bytes)', '  0: 97']],
    ['an Error of development', '0:"$Z1"\n1:{"name":"E","message":"m"}\n', ['name: "E"', 'message: "m"']],
    [
      'an Error with a cause, and an AggregateError: the reference is escaped as text',
      '0:["$Z1","$$4"]\n1:{"message":"$$a","cause":"$$2","errors":"$$3"}\n2:"$Z4"\n3:["$Z4"]\n4:{"message":"why"}\n',
      [
        '0: Error',
        '  message: "$a"',
        '  cause: Error',
        '    message: "why"',
        '  errors: Array(1)',
        '    0: Error',
        '1: "$4"',
      ],
    ],
    ['what React drops', '0:{"__proto__":{"a":1},"b":2}\n', ['(__proto__, dropped): {a}', '  a: 1', 'b: 2']],
    ['an Error', '0:"$Z"\n', []],
    ['a class of development', '0:{"":"$P1"}\n1:{"name":"C"}\n', [': Class', '  (value): {name}', '    name: "C"']],
    ['what development left out', '0:["$Y1","$Y9"]\n1:{"a":1}\n', ['0: left out', '  a: 1', '1: left out']],
    ['a temporary reference', '0:"$T0:x"\n', []],
    [
      'a module',
      '0:{"a":"$1"}\n1:I["m",["c"],"X"]\n',
      ['a: client X', '  0: "m"', '  1: Array(1)', '    0: "c"', '  2: "X"'],
    ],
    ['an error row', '0:{"a":"$L1"}\n1:E{"digest":"d"}\n', ['a: Error, digest "d"', '  digest: "d"']],
    ['a text row', '0:["$1"]\n1:T3,abc', ['0: "abc"']],
  ])('%s', (_, text, expected) => {
    const lines = list(rootOf(decode(text)));
    expect(lines.slice(0, expected.length)).toEqual(expected);
    expect(lines.length === 0).toBe(expected.length === 0);
  });

  test('an element: its key, a type that is no name, its props, and what development adds', () => {
    const text = '1:I["m",[],"Counter"]\n2:"$Sreact.suspense"\n3:{"name":"Page"}\n';
    const own =
      '0:[["$","p","k",{"a":1},"$3",[["f","file",1,2]],1],["$","$L1",null,{}],["$","$2",null,{}],["$","b",null,null]]\n';
    const [paragraph, counter, suspense, bare] = readMembers(rootOf(decode(text + own)));
    const names = (member: typeof paragraph) => (member ? list(member.part, 1) : []);
    expect(names(paragraph)).toEqual(['key: "k"', 'a: 1', '(owner): {name}', '(stack): Array(1)']);
    expect(names(counter)).toEqual(['(type): client Counter']);
    expect(names(suspense)).toEqual([]);
    expect(names(bare)).toEqual([]);
  });

  test('an element whose props are a reference, and one whose props are none', () => {
    const flight = decode('0:[["$","p",null,"$1"],["$","p",null,"oops"]]\n1:{"a":1}\n');
    expect(list(rootOf(flight)).filter((line) => line.startsWith('  '))).toEqual(['  a: 1', '  props: "oops"']);
  });

  test('streams, with how they end', () => {
    const flight = decode(
      '0:["$1","$2","$3"]\n1:X\n1:{"a":1}\n1:T3,abc1:C"end"\n2:R\n2:"open"\n3:R\n3:E{"digest":"d"}\n',
    );
    expect(list(rootOf(flight))).toEqual([
      '0: async-iterable',
      '  0: {a}',
      '    a: 1',
      '  1: "abc"',
      '  (returned): "end"',
      '1: readable-stream',
      '  0: "open"',
      '  (next): waiting for row 2',
      '2: readable-stream',
      '  (error): Error, digest "d"',
      '    digest: "d"',
    ]);
  });

  test('a stream of bytes and typed arrays: their numbers, page by page', () => {
    const shorts = new Uint8Array(new Int16Array([1, -2, 300]).buffer);
    const flight = decode(join('0:["$1","$2"]\n1:S6,', shorts, '2:r\n2:b2,', Uint8Array.of(7, 8), '2:C\n'));
    expect(list(rootOf(flight))).toEqual([
      '0: Int16Array(6 bytes)',
      '  0: 1',
      '  1: -2',
      '  2: 300',
      '1: byte-stream',
      '  0: 2 bytes',
      '    0: 7',
      '    1: 8',
    ]);
    const [array] = readMembers(rootOf(flight));
    const [last] = array ? readMembers(array.part, 2, 5) : [];
    const { start = 0, end = 0 } = (last && placeOfPart(last.part)) ?? {};
    expect([...flight.bytes.subarray(start, end)]).toEqual([44, 1]);
  });

  test('typed arrays, streams and files of a request', () => {
    const flight = decode('0:["$S1","$R2","$B3"]\n1:o2,\u0001\u00002:R\n2:"x"\n2:C\n3:o1,a', 'request');
    expect(list(rootOf(flight))).toEqual([
      '0: Int16Array',
      '  0: 1',
      '1: readable-stream',
      '  0: "x"',
      '2: Blob',
      '  0: 97',
    ]);
  });

  test('minus zero, in a response and in a request', () => {
    const zeros = new Uint8Array(new Float64Array([-0, 0, Number.NaN]).buffer);
    const own = ['  0: -0', '  1: 0', '  2: NaN'];
    const response = decode(join('0:["$1"]\n1:g18,', zeros));
    expect(list(rootOf(response))).toEqual(['0: Float64Array(24 bytes)', ...own]);
    const request = decode(join('0:["$g1"]\n1:o18,', zeros), 'request');
    expect(list(rootOf(request))).toEqual(['0: Float64Array', ...own]);
  });

  test('a payload within the payload, whose places are the outer one’s', () => {
    const nested = '0:["$","p",null,{"children":"$1"}]\n1:"inside"\n';
    const flight = decode(join('0:["$1"]\n1:o', nested.length.toString(16), ',', nested));
    expect(list(rootOf(flight), 4)).toEqual([
      `0: Uint8Array(${nested.length} bytes)`,
      '  (payload): <p>',
      '    children: "inside"',
    ]);
    const [bytes] = readMembers(rootOf(flight));
    const [payload] = bytes ? readMembers(bytes.part) : [];
    const [children] = payload ? readMembers(payload.part) : [];
    const place = children && placeOfPart(openPart(children.part));
    expect(place?.row).toBe(1);
    expect(new TextDecoder().decode(flight.bytes.subarray(place?.start, place?.end))).toBe('"inside"');
  });
});

describe('what has not come', () => {
  const flight = decode('0:["$L1","$2","$3","$Q9"]\n3:R\n1:"late"\n2:"$L1"\n3:"item"\n3:C\n');

  test('is waiting, and its row is named', () => {
    expect(list(rootOf(flight, 1))).toEqual([
      '0: waiting for row 1',
      '1: waiting for row 2',
      '2: waiting for row 3',
      '3: Map',
      '  (value): waiting for row 9',
    ]);
    expect(list(rootOf(flight, 2)).slice(2, 4)).toEqual(['2: readable-stream', '  (next): waiting for row 3']);
    expect(list(rootOf(flight)).slice(0, 4)).toEqual(['0: "late"', '1: "late"', '2: readable-stream', '  0: "item"']);
  });

  test('may be a reference to what has come', () => {
    const late = decode('1:"x"\n0:["$2"]\n2:"$1"\n');
    expect(list(rootOf(late, 2))).toEqual(['0: waiting for row 2']);
    expect(list(rootOf(late))).toEqual(['0: "x"']);
  });

  test('is the root itself before its row', () => {
    expect(rootPart(decode('1:"x"\n0:"$1"\n'), 1)).toBeUndefined();
  });

  test('may be what a path leads to', () => {
    const late = decode('0:["$1:a"]\n1:{"a":"$2"}\n2:"x"\n');
    expect(list(rootOf(late, 2))).toEqual(['0: waiting for row 2']);
    expect(list(rootOf(late))).toEqual(['0: "x"']);
  });
});

describe('circles', () => {
  test('of lazies end, and of values can be told by who opens them', () => {
    expect(openPart(rootOf(decode('0:"$L1"\n1:"$L0"\n')))).toMatchObject({ kind: 'invalid' });
    const round = rootOf(decode('0:{"self":"$0"}\n'));
    const [self] = readMembers(round);
    expect(self && identifyMembers(self.part)).toBe(identifyMembers(round));
  });
});

describe('a list of 100,000', () => {
  const count = 100_000;
  const items = Array.from({ length: count }, (_, index) => `{"n":${index}}`);
  const entries = items.map((item, index) => `"k${index}":${item}`);
  const flight = decode(
    `0:["$1","$2","$Q3"]\n1:[${items.join(',')}]\n2:{${entries.join(',')}}\n3:[${items.map((item, index) => `[${index},${item}]`).join(',')}]\n`,
  );
  const parts = readMembers(rootOf(flight)).map(({ part }) => part);

  test.each(['array', 'object', 'Map'])('%s: any page of it is the right one', (kind) => {
    const part = parts[['array', 'object', 'Map'].indexOf(kind)];
    if (!part) throw new Error(kind);
    expect(countMembers(part)).toBe(count);
    for (const from of [0, 1, 255, 256, 257, 51_199, 99_998]) {
      const page = readMembers(part, from, 3);
      expect(page).toHaveLength(Math.min(3, count - from));
      const inner = page.flatMap((member) => readMembers(member.part)).map((member) => printPart(member.part));
      expect(inner).toEqual(page.map((_, index) => String(from + index)));
      expect(page[0]?.name).toBe(kind === 'object' ? `k${from}` : String(from));
    }
    expect(readMembers(part, count, 5)).toEqual([]);
  });

  test('is read page by page without going past all of it each time', () => {
    const [part] = parts;
    if (!part) throw new Error('no list');
    readMembers(part, count - 1, 1);
    const start = performance.now();
    // From the start each time these would be half a billion steps: seconds.
    for (let turn = 0; turn < 5000; turn++) readMembers(part, count - 1 - turn, 1);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

test('all text of a part, for a search', () => {
  const long = 'x'.repeat(2000);
  const flight = decode(`0:["${long}","$1",3]\n1:T7d0,${long}`);
  const texts = readMembers(rootOf(flight)).map(({ part }) => readPartText(openPart(part)));
  expect(texts).toEqual([long, long, '3']);
  expect(printPart(partOfRow(flight, 1)).length).toBeLessThan(200);
});
