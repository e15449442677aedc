import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import type { ChunkTime } from './chunk-times.ts';
import { decodeFlight } from './decode-flight.ts';
import { findDuplicates } from './duplicates.ts';
import type { Finding } from './finding.ts';
import { listFindings } from './findings.ts';
import { findHoles } from './holes.ts';
import { readModuleUses } from './module-use.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));

function find(input: string | Uint8Array, chunks: readonly ChunkTime[] = []): Finding[] {
  const flight = decodeFlight(typeof input === 'string' ? encoder.encode(input) : input);
  const attribution = attributeBytes(flight);
  const findings = listFindings(flight, {
    attribution,
    duplicates: findDuplicates(flight),
    modules: readModuleUses(flight, attribution),
    holes: findHoles(flight, chunks),
  });
  for (const { place } of findings) if (place) expect(place.row).toBeLessThan(flight.rows.count);
  return findings;
}

function list(count: number, item: (index: number) => string): string {
  return `0:["$","ul",null,{"children":[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]}]\n`;
}

test.each(fixtures)('%s', (file) => {
  find(new Uint8Array(readFileSync(path.join(folder, file))));
});

describe('said, with the number', () => {
  test('a list that sends each label twice', () => {
    const text = list(60, (item) => {
      const label = `the label of row number ${item} of this list`;
      return `["$","li","${item}",{"title":"${label}","children":["$","b",null,{"children":"${label}"}]}]`;
    });
    expect(find(text)).toMatchObject([
      {
        kind: 'sent-twice',
        weight: 'cost',
        title: '60 values are sent in li title and again in b: 2.45 kB of 8.94 kB.',
      },
    ]);
  });

  test('a large prop, with where it is', () => {
    const data = JSON.stringify(Array.from({ length: 400 }, (_, x) => ({ x, y: x * x })));
    const text = `1:I["m",[],"Chart"]\n0:["$","main",null,{"children":["$","$L1",null,{"data":${data}}]}]\n`;
    const [finding] = find(text);
    expect(finding).toMatchObject({ kind: 'large-prop', title: expect.stringMatching(/^data of Chart carries \d/) });
    expect(finding?.place).toMatchObject({ row: 1, start: text.indexOf('[{"x"'), end: text.indexOf(']}]}]') + 1 });
  });

  test('class names that are repeated', () => {
    const name = 'flex items-center justify-between rounded-lg border px-4 py-2';
    const text = list(60, (item) => `["$","li","${item}",{"className":"${name}","children":"item ${item}"}]`);
    const [finding] = find(text);
    expect(finding).toMatchObject({ kind: 'class-names', bytes: 59 * (name.length + 2) });
    expect(finding?.title).toContain('60 times');
  });

  test('equal copies of a structure', () => {
    const user = `{"name":"somebody with a name","bio":"${'x'.repeat(600)}"}`;
    const text = list(4, (item) => `["$","li","${item}",{"user":${user}}]`);
    expect(find(text).map(({ kind }) => kind)).toContain('repeated');
  });

  test('client modules nothing uses, and long names of files', () => {
    const chunks = JSON.stringify(
      Array.from({ length: 40 }, (_, item) => `/_next/static/chunks/chunk-${item}-abcdef0123.js`),
    );
    const found = find(`1:I["a",${chunks},"Unused"]\n0:"x"\n`);
    expect(found.map(({ kind }) => kind).toSorted()).toEqual(['chunk-names', 'unused-modules']);
    expect(found.find(({ kind }) => kind === 'unused-modules')?.title).toContain(
      '1 client module named and not used, Unused',
    );
  });

  test('base64, in a string and in a row of text', () => {
    const image = Buffer.from(Array.from({ length: 2000 }, (_, item) => (item * 7919) % 251)).toString('base64');
    const [one] = find(`0:["$","img",null,{"src":"data:image/png;base64,${image}"}]\n`).filter(
      ({ kind }) => kind === 'base64',
    );
    expect(one?.title).toMatch(/^1 string of base64: 2\.69 kB of 2\.72 kB/);
    const row = find(`1:T${image.length.toString(16)},${image}0:"$1"\n`);
    expect(row.map(({ kind }) => kind)).toEqual(['base64']);
  });

  test('a boundary that held the page', () => {
    const rows = [
      '1:"$Sreact.suspense"\n',
      '0:["$","$1",null,{"fallback":null,"children":"$L2"}]\n',
      '2:["$","p",null,{}]\n',
    ];
    const chunks = rows.map((row, index) => ({ ms: index * 400, bytes: row.length }));
    expect(find(rows.join(''), chunks)).toMatchObject([
      { kind: 'wait', weight: 'wait', ms: 400, title: 'Suspense showed its fallback for 400 ms, until row 2 (<p>).' },
    ]);
  });

  test.each([
    ['error', '0:"$L1"\n1:E{"digest":"abc"}\n', 'Row 1 is an error, digest abc.'],
    ['error', '0:"$L1"\n1:E{"digest":""}\n', 'Row 1 is an error, no digest.'],
    [
      'malformed',
      '0:"a"\nzz',
      'The payload is malformed at byte 6: a row’s id must be lower-case hex digits and a colon.',
    ],
    ['truncated', '0:"a"\n1:"b', 'The payload ends too early, at byte 10: the last row has no end.'],
    ['halted', '0:["$L1","$La"]\n', '2 rows promised and never sent: 1, a.'],
    ['aborted', '0:"$L1"\n2:E{"digest":"x"}\n1:"$2"\n', 'Rendering was given up: rows refer to the error in row 2.'],
    ['development', '0:D{"name":"App"}\n0:"a"\n', 'Written by a development server: 18 B of 24 B are its debug data.'],
  ])('%s', (kind, text, title) => {
    expect(find(text).find((finding) => finding.kind === kind)?.title).toBe(title);
  });

  test('problems come first, then waits, then costs by bytes', () => {
    const name = 'flex items-center justify-between rounded-lg border px-4 py-2';
    const text = list(100, (item) => `["$","li","${item}",{"className":"${name}","children":"$L1"}]`);
    const found = find(`${text}1:E{"digest":"x"}\n`, [
      { ms: 0, bytes: text.length },
      { ms: 900, bytes: 18 },
    ]);
    expect(found.map(({ weight }) => weight)).toEqual(['problem', 'wait', 'cost']);
  });
});

test.each([
  ['nothing', ''],
  ['a small page', '0:["$","p",null,{"children":"Hello"}]\n'],
  ['short repeats', list(20, (item) => `["$","li","${item}",{"className":"a","children":"b"}]`)],
  ['a long text', `0:["$","p",null,{"children":"${'some words and some more '.repeat(200)}"}]\n`],
])('nothing is said of %s', (_, text) => {
  expect(find(text)).toEqual([]);
});
