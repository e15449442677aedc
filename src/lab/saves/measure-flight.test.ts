import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { measureFlight } from './measure-flight.ts';

const fixtures = new URL('../../../packages/flight/fixtures/', import.meta.url);

function read(name: string): Buffer {
  return readFileSync(new URL(name, fixtures));
}

it('measures a payload of development without what development adds', () => {
  const bytes = read('react-19.3.1-development/waits.flight');
  const chunks: { ms: number; bytes: number }[] = JSON.parse(
    read('react-19.3.1-development/waits.times.json').toString(),
  );
  const measured = measureFlight({ bytes, chunks });
  expect(measured.bytes + measured.leftOut).toBe(bytes.length);
  expect(measured.bytes).toBeLessThan(bytes.length / 3);
  expect(measured.gzip).toBeLessThan(measured.bytes);
  expect(measured.errors).toBe(0);
  expect(measured.waits.map(({ name, ms }) => [name, Math.round(ms)])).toMatchInlineSnapshot(`
    [
      [
        "Suspense 2",
        504,
      ],
      [
        "Suspense "reviews"",
        345,
      ],
    ]
  `);
  expect(measured.text).toBeGreaterThan(0);
});

it('names client modules, and counts errors', () => {
  const references = measureFlight({ bytes: read('react-19.3.1-production/client-refs.flight'), chunks: [] });
  expect(references.modules).toMatchInlineSnapshot(`
    [
      "Counter",
      "Button",
    ]
  `);
  expect(references.waits).toEqual([]);
  expect(measureFlight({ bytes: read('react-19.3.1-production/errors.flight'), chunks: [] }).errors).toBeGreaterThan(0);
});

it('takes of a page of Waku what is its own', () => {
  const page =
    '0:{"root":["$","html",null,{"children":"around it"}],"page:/lab/x":["$","p",null,{"children":"text text"}]}\n';
  const { bytes, text } = measureFlight({ bytes: new TextEncoder().encode(page), chunks: [] });
  expect(bytes).toBe('0:{"page:/lab/x":["$","p",null,{"children":"text text"}]}\n'.length);
  expect(text).toBe(11);
});

/** One row in each chunk, with the time at which it came. */
function measureRows(...rows: readonly (readonly [ms: number, row: string])[]) {
  const lines = rows.map(([ms, row]) => ({ ms, bytes: new TextEncoder().encode(`${row}\n`) }));
  const chunks = lines.map(({ ms, bytes }) => ({ ms, bytes: bytes.length }));
  return measureFlight({ bytes: new Uint8Array(Buffer.concat(lines.map(({ bytes }) => bytes))), chunks });
}

it('times what its own parts wait for, and not what is around it', () => {
  const root = '0:{"root":"$L9","page:/lab/x":["$","$1",null,{"children":"$L2"}]}';
  const layout = '9:["$","html",null,{"children":[["$","$1",null,{"children":"$La"}],"$Lb"]}]';
  const { waits, rows } = measureRows(
    [5, '1:"$Sreact.suspense"'],
    [10, root],
    [20, layout],
    [60, '2:"its own"'],
    [500, 'a:"in a boundary of the layout"'],
    [900, 'b:"of the layout"'],
  );
  expect(waits).toEqual([{ name: 'Suspense', ms: 50, how: 'waits' }]);
  expect(rows).toBe(3);
});

it('counts elements without a type, and not what only looks like one', () => {
  function count(children: string): number {
    const page = `0:{"page:/lab/x":["$","p",null,{"children":${children},"title":"$undefined"}]}\n`;
    return measureFlight({ bytes: new TextEncoder().encode(page), chunks: [] }).untyped;
  }
  expect(count('["$","$undefined",null,{"a":1},null,"$1",1]')).toBe(1);
  expect(count('[["$","$undefined",null,{}],["$","b",null,{"children":["$","$undefined",null,{}]}]]')).toBe(2);
  expect(count(JSON.stringify('["$","$undefined",null,{}]'))).toBe(0);
  expect(count('["$","b","$undefined",{}]')).toBe(0);
});
