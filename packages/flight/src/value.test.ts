import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { printRow, printValue } from './print-value.ts';
import { resolveTarget, resolveValue } from './resolve.ts';
import { readRow, readRowValue } from './row.ts';
import { countChildren, findEntry, readElement, readEntries, readItems, type Content, type Value } from './value.ts';
import { readRowAsJson, valueToJson } from './value-to-json.ts';

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

function decode(text: string, direction: Flight['direction'] = 'response'): Flight {
  return decodeFlight(encoder.encode(text), { direction });
}

function rootOf(flight: Flight): Value {
  const value = readRowValue(flight, flight.root ?? 0);
  if (!value) throw new Error('no root');
  return value;
}

function contentOf(text: string, direction: Flight['direction'] = 'response'): Content {
  const {
    row: _row,
    start: _start,
    end: _end,
    at: _at,
    ...content
  } = rootOf(decode(`0:${JSON.stringify(text)}\n`, direction));
  return content;
}

function sourceOf(flight: Flight, { start, end }: { start: number; end: number }): string {
  return utf8.decode(flight.bytes.subarray(start, end));
}

/** Every value under one, itself first. */
function* walk(flight: Flight, value: Value): Generator<Value> {
  yield value;
  for (const item of readItems(flight, value)) yield* walk(flight, item);
  for (const { value: member } of readEntries(flight, value)) yield* walk(flight, member);
}

describe('$ forms', () => {
  test.each<[string, Content]>([
    ['$$L1', { kind: 'string', value: '$L1' }],
    ['$', { kind: 'symbol', name: 'react.transitional.element' }],
    ['$3f', { kind: 'reference', id: 0x3f, path: [] }],
    ['$0:props:children:1', { kind: 'reference', id: 0, path: ['props', 'children', '1'] }],
    ['$La', { kind: 'lazy', id: 10, path: [] }],
    ['$@1', { kind: 'promise', id: 1, path: [] }],
    ['$@', { kind: 'never' }],
    ['$h1', { kind: 'server-reference', id: 1, path: [] }],
    ['$F1', { kind: 'server-reference', id: 1, path: [] }],
    ['$T0:x', { kind: 'temporary', path: '0:x' }],
    ['$Q1', { kind: 'map', id: 1, path: [] }],
    ['$W1', { kind: 'set', id: 1, path: [] }],
    ['$K1', { kind: 'form-data', id: 1, path: [] }],
    ['$B1', { kind: 'blob', id: 1, path: [] }],
    ['$i1', { kind: 'iterator', id: 1, path: [] }],
    ['$Z', { kind: 'error', target: undefined }],
    ['$Z2', { kind: 'error', target: { id: 2, path: [] } }],
    ['$Sreact.suspense', { kind: 'symbol', name: 'react.suspense' }],
    ['$undefined', { kind: 'undefined' }],
    ['$w', { kind: 'undefined' }],
    ['$H', { kind: 'undefined' }],
    ['$NaN', { kind: 'number', value: Number.NaN }],
    ['$Infinity', { kind: 'number', value: Infinity }],
    ['$-Infinity', { kind: 'number', value: -Infinity }],
    ['$-0', { kind: 'number', value: -0 }],
    ['$D2026-01-01T00:00:00.000Z', { kind: 'date', iso: '2026-01-01T00:00:00.000Z' }],
    ['$n-12', { kind: 'bigint', digits: '-12' }],
    ['$nx', { kind: 'unknown', text: '$nx' }],
    ['$P1', { kind: 'constructor', id: 1, path: [] }],
    ['$E(function f(){})', { kind: 'function-source', source: '(function f(){})' }],
    ['$Y', { kind: 'omitted', target: undefined, isPromise: false }],
    ['$Y@5', { kind: 'omitted', target: { id: 5, path: [] }, isPromise: true }],
    ['$zz', { kind: 'unknown', text: '$zz' }],
    ['$Lzz', { kind: 'unknown', text: '$Lzz' }],
  ])('%s of a response', (text, content) => {
    expect(contentOf(text)).toEqual(content);
  });

  test.each<[string, Content]>([
    ['$S1', { kind: 'binary', type: 'Int16Array', id: 1, path: [] }],
    ['$L1', { kind: 'binary', type: 'Int32Array', id: 1, path: [] }],
    ['$o1', { kind: 'binary', type: 'Uint8Array', id: 1, path: [] }],
    ['$A1', { kind: 'binary', type: 'ArrayBuffer', id: 1, path: [] }],
    ['$R1', { kind: 'stream', stream: 'readable-stream', id: 1, path: [] }],
    ['$x1', { kind: 'stream', stream: 'async-iterator', id: 1, path: [] }],
    ['$T', { kind: 'temporary', path: '' }],
    ['$Da', { kind: 'date', iso: 'a' }],
    ['$K1', { kind: 'form-data', id: 1, path: [] }],
  ])('%s of a request', (text, content) => {
    expect(contentOf(text, 'request')).toEqual(content);
  });

  test('a string is its text, whatever it is written with', () => {
    for (const text of [
      '',
      'plain',
      'é',
      'a"b',
      '\\',
      '\n',
      '\ud83d\ude00',
      '\ufeffx',
      '\ud800',
      '</script>',
      'x'.repeat(3000),
    ]) {
      expect(contentOf(text)).toEqual({ kind: 'string', value: text });
    }
  });
});

describe('text', () => {
  test('is right after text beyond ASCII, read forwards and backwards', () => {
    const texts = ['a', 'é', 'plain one', '日本', 'x'.repeat(2000), '\ud83d\ude00', 'last'];
    const flight = decode(`0:${JSON.stringify(texts)}\n`);
    const read = () =>
      readItems(flight, rootOf(flight)).map((item) => (item.kind === 'string' ? item.value : item.kind));
    expect(read()).toEqual(texts);
    expect(read()).toEqual(texts);
  });

  test('of bytes that are no UTF-8 has replacement characters, and what follows is whole', () => {
    const bytes = Uint8Array.from([
      ...encoder.encode('0:["a'),
      0xff,
      ...encoder.encode('","'),
      0xe2,
      0x82,
      ...encoder.encode('","after"]\n'),
    ]);
    expect(readRowAsJson(decodeFlight(bytes), 0)).toEqual(['a\ufffd', '\ufffd', 'after']);
  });
});

describe('bytes', () => {
  const text = '0:{"é":["$","p",null,{"a\\n":[1,-2.5e3,true,null,"x"],"b":{}}], "c" : [ ] }\n';

  test('each value has its own, and JSON.parse of them is the value', () => {
    const flight = decode(text);
    const sources = Array.from(walk(flight, rootOf(flight)), (value) => sourceOf(flight, value));
    expect(sources).toEqual([
      '{"é":["$","p",null,{"a\\n":[1,-2.5e3,true,null,"x"],"b":{}}], "c" : [ ] }',
      '["$","p",null,{"a\\n":[1,-2.5e3,true,null,"x"],"b":{}}]',
      '"$"',
      '"p"',
      'null',
      '{"a\\n":[1,-2.5e3,true,null,"x"],"b":{}}',
      '[1,-2.5e3,true,null,"x"]',
      '1',
      '-2.5e3',
      'true',
      'null',
      '"x"',
      '{}',
      '[ ]',
    ]);
  });

  test('so has each key', () => {
    const flight = decode(text);
    const keys = readEntries(flight, rootOf(flight)).map(({ keyStart, keyEnd }) => [keyStart, keyEnd]);
    expect(keys.map(([start = 0, end = 0]) => sourceOf(flight, { start, end }))).toEqual(['"é"', '"c"']);
  });

  test('a container too large for the short form of the tape has them too', () => {
    const items = Array.from({ length: 9000 }, (_, index) => index);
    const long = 'x'.repeat(300_000);
    const flight = decode(`0:[${JSON.stringify(items)},[${JSON.stringify(long)}],"after"]\n`);
    const [numbers, strings, after] = readItems(flight, rootOf(flight));
    expect(numbers && sourceOf(flight, numbers)).toBe(JSON.stringify(items));
    expect(numbers && countChildren(flight, numbers)).toBe(9000);
    expect(strings && sourceOf(flight, strings)).toBe(JSON.stringify([long]));
    expect(after).toMatchObject({ kind: 'string', value: 'after' });
    expect(numbers && readItems(flight, numbers, 8998, 5)).toMatchObject([{ value: 8998 }, { value: 8999 }]);
  });
});

describe('keys', () => {
  test('__proto__ is a key like any other, and changes no object', () => {
    const flight = decode('0:{"__proto__":{"polluted":1},"constructor":2}\n');
    expect(readEntries(flight, rootOf(flight)).map(({ key }) => key)).toEqual(['__proto__', 'constructor']);
    expect(valueToJson(flight, rootOf(flight))).toEqual({
      $: 'object',
      entries: [
        ['__proto__', { $: 'dropped', value: { polluted: 1 } }],
        ['constructor', 2],
      ],
    });
    expect('polluted' in {}).toBe(false);
  });

  test('a key of the payload cannot pass for a kind', () => {
    expect(readRowAsJson(decode('0:{"$":"Date","iso":"x"}\n'), 0)).toEqual({
      $: 'object',
      entries: [
        ['$', 'Date'],
        ['iso', 'x'],
      ],
    });
  });
});

describe('references', () => {
  test.each([
    ['0:["$1","$2:a:0"]\n1:"one"\n2:{"a":["two"]}\n', ['one', 'two']],
    ['0:["$1","$1"]\n1:"$2"\n2:"deep"\n', ['deep', 'deep']],
    ['0:["$1:props:children","$1:3:children"]\n1:["$","p",null,{"children":"c"}]\n', ['c', 'c']],
    ['0:["$1:a:b"]\n1:{"a":"$L2"}\n2:{"b":"through a lazy"}\n', ['through a lazy']],
  ])('%j', (text, expected) => {
    const flight = decode(text);
    const found = readItems(flight, rootOf(flight)).map((item) => resolveValue(flight, item));
    expect(found).toMatchObject(expected.map((value) => ({ kind: 'value', value: { kind: 'string', value } })));
  });

  test.each([
    ['0:"$1"\n', 'pending'],
    ['0:"$1"\n1:\n', 'pending'],
    ['0:"$0"\n', 'invalid'],
    ['0:"$1"\n1:"$2"\n2:"$1"\n', 'invalid'],
    ['0:"$1:a"\n1:{"b":1}\n', 'invalid'],
    ['0:"$1:__proto__"\n1:{"__proto__":1}\n', 'invalid'],
    ['0:"$1:length"\n1:[1]\n', 'invalid'],
    ['0:"$1:a"\n1:T1,x', 'invalid'],
    ['0:"$1"\n1:T1,x', 'row'],
    ['0:"$1"\n1:E{"digest":"x"}\n', 'row'],
  ])('%j is %s', (text, kind) => {
    const flight = decode(text);
    expect(resolveValue(flight, rootOf(flight)).kind).toBe(kind);
  });

  test('a debug row with the same id is not the target', () => {
    const flight = decode('0:D{"name":"Page"}\n0:"page"\n');
    expect(resolveTarget(flight, { id: 0, path: [] })).toMatchObject({ value: { value: 'page' } });
  });
});

describe('elements', () => {
  test('of development have an owner, a stack and a mark', () => {
    const flight = decode('0:["$","p","k",{"a":1},"$1",[["f","file",1,2]],1]\n');
    const { type, key, props, owner, stack, validated } = readElement(flight, rootOf(flight));
    expect([type.kind, key?.kind, props?.kind, owner?.kind, stack?.kind, validated?.kind]).toEqual([
      'string',
      'string',
      'object',
      'reference',
      'array',
      'number',
    ]);
  });

  test('are no elements in a request', () => {
    expect(rootOf(decode('0:["$","p"]\n', 'request')).kind).toBe('array');
  });
});

describe('in a few words', () => {
  test.each([
    [
      '0:["$","$L1",null,{"start":3,"label":"x","on":true,"children":"y"}]\n1:I["m",[],"Counter"]\n',
      '<Counter start={3} label="x" on={true}>',
    ],
    ['0:["$","$1","k",{}]\n1:"$Sreact.suspense"\n', '<Suspense key="k">'],
    ['0:["$","$L1",null,{}]\n', '<pending>'],
    // A type that is an element: no React writes it, and one that is its own has no end.
    ['0:["$","$L0",null,{}]\n', '<element>'],
    [`0:${'["$",'.repeat(9000)}"p"${']'.repeat(9000)}\n`, '<element>'],
    ['0:"$Q1"\n1:[["a",1],["b",2]]\n', 'Map(2)'],
    ['0:"$h1"\n1:{"id":"actions.ts#save","bound":null}\n', 'Server action actions.ts#save'],
    ['0:"$@1"\n', 'Promise → 1'],
    ['0:"$@"\n', 'Promise, never resolved'],
    ['0:{"a":1,"b":2}\n', '{a, b}'],
    ['0:[1,2,3]\n', 'Array(3)'],
    ['0:"$n12"\n', '12n'],
    ['0:"$-0"\n', '-0'],
    ['0:"a\\"b"\n', '"a\\"b"'],
    ['0:null\n', 'null'],
  ])('%j', (text, words) => {
    const flight = decode(text);
    expect(printValue(flight, rootOf(flight))).toBe(words);
  });

  test.each([
    ['0:I["m",[],"Counter"]\n', 'client Counter'],
    ['0:I["$1",["$2"],"$3"]\n3:"ALongExportedName"\n', 'client ALongExportedName'],
    ['0:I["m","Counter",["a.js"]]\n', 'client Counter'],
    ['0:E{"digest":"d"}\n', 'Error, digest "d"'],
    [':HL["/x.css","style"]\n', 'preload Array(2)'],
    ['0:o3,abc', 'Uint8Array(3 bytes)'],
    ['0:\n', 'halted'],
    ['0:C\n', 'end'],
    ['0:X\n', 'async-iterable'],
  ])('row %j', (text, words) => {
    const flight = decode(text);
    expect(printRow(flight, readRow(flight, 0))).toBe(words);
  });

  test('never more than a line', () => {
    const flight = decode(`0:{${Array.from({ length: 9 }, (_, i) => `"${'k'.repeat(500)}${i}":1`).join(',')}}\n`);
    expect(printValue(flight, rootOf(flight)).length).toBeLessThanOrEqual(120);
  });
});

describe('as JSON', () => {
  test('says what JSON lacks', () => {
    const flight = decode(
      '0:["$undefined","$NaN","$-0","$n1","$D1970","$Sx","$Q1","$1:a","$L1","$@1","$Z","$Y@1",["$","p","k",{"x":1}],"$@"]\n1:[]\n',
    );
    expect(readRowAsJson(flight, 0)).toEqual([
      { $: 'undefined' },
      { $: 'number', value: 'NaN' },
      { $: 'number', value: '-0' },
      { $: 'bigint', digits: '1' },
      { $: 'Date', iso: '1970' },
      { $: 'Symbol', name: 'x' },
      { $: 'Map', id: '1' },
      { $: 'reference', id: '1', path: ['a'] },
      { $: 'lazy', id: '1' },
      { $: 'Promise', id: '1' },
      { $: 'Error' },
      { $: 'omitted', id: '1', isPromise: true },
      { $: 'element', type: 'p', key: 'k', props: { x: 1 } },
      { $: 'Promise', id: null },
    ]);
  });

  test('stops before what recurses could not bear', () => {
    const flight = decode(`0:${'['.repeat(5000)}${']'.repeat(5000)}\n`);
    expect(JSON.stringify(readRowAsJson(flight, 0))).toContain('{"$":"deep"}');
  });
});

test('finds entries of a large object by their keys, and of a key that is there twice the last', () => {
  const entries = Array.from({ length: 2_000 }, (_, n) => `"k${n % 1_999}":${n}`).join(',');
  const flight = decode(`0:{${entries}}\n`);
  const row = readRow(flight, 0);
  if (row.kind !== 'model') throw new Error('no model');
  const find = (key: string) => {
    const found = findEntry(flight, row.value, key);
    return found?.kind === 'number' ? found.value : found;
  };
  expect([find('k0'), find('k7'), find('k1998'), find('k1999'), find('__proto__')]).toEqual([
    1_999,
    7,
    1_998,
    undefined,
    undefined,
  ]);
});
