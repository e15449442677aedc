import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import { buildByteTree } from './byte-tree.ts';
import { decodeFlight } from './decode-flight.ts';
import { createFramer } from './framing.ts';
import { guessReact } from './framework.ts';
import { printRow } from './print-value.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { isOfPage, rowTagAt, rowTagOf, rowTags, type RowTag } from './row-tags.ts';
import { readRow } from './row.ts';
import { rowToJson } from './value-to-json.ts';

const encoder = new TextEncoder();

/** A body of each kind. */
const samples: Record<RowTag['body'], string> = {
  model: '"value"',
  json: '["module",[],"Name"]',
  hint: 'L["/style.css","style"]',
  error: '{"digest":"abc"}',
  end: '"returned"',
  text: 'some text',
  bytes: '8 bytes.',
  binary: '8 bytes.',
  stream: '',
  time: '1700000000000',
  unknown: '{"a":1}',
};

/** Row 1 with this tag and body, between a root that refers to it and a row that must still be found after it. */
function write({ tag, framing }: RowTag, body: string): Uint8Array {
  const row = framing === 'length' ? `1:${tag}${body.length.toString(16)},${body}` : `1:${tag}${body}\n`;
  return encoder.encode(`0:"$1"\n${row}2:"after"\n`);
}

describe.each(rowTags.map((rowTag): [string, RowTag] => [rowTag.tag, rowTag]))('%j', (tag, rowTag) => {
  const body = samples[rowTag.body];
  const bytes = write(rowTag, body);
  const flight = decodeFlight(bytes);

  test('is framed, chunk by chunk too', () => {
    const framed: [number, string, number][] = [];
    const framer = createFramer((row) => framed.push([row.id, row.tag, row.payloadEnd - row.payloadStart]));
    for (const byte of bytes) framer.push(Uint8Array.of(byte));
    expect(framed).toEqual([
      [0, '', 4],
      [1, tag, body.length],
      [2, '', 7],
    ]);
    expect(framer.end().kind).toBe('clean');
  });

  test('is found again in the index', () => {
    expect(rowTagOf(tag)).toBe(rowTag);
    expect(readRowTag(flight.rows, 1)).toBe(rowTag);
    const { payloadStart, payloadEnd, ...header } = readHeader(flight.rows, 1);
    expect(header).toMatchObject({ id: 1, tag });
    expect(new TextDecoder().decode(bytes.subarray(payloadStart, payloadEnd))).toBe(body);
    expect(findRow(flight.rows, 1)).toBe(rowTag.isReferable ? 1 : undefined);
    expect(findRow(flight.rows, 2)).toBe(2);
    expect(flight.rows.hasDebug).toBe(rowTag.role === 'debug');
  });

  test('is read, printed and written as JSON', () => {
    const row = readRow(flight, 1);
    expect(['broken', 'unknown', 'halted']).not.toContain(row.kind);
    expect(printRow(flight, row)).not.toBe('');
    expect(JSON.stringify(rowToJson(flight, row))).toBeTypeOf('string');
    expect(flight.state.kind).not.toBe('malformed');
    expect('value' in row && row.value !== undefined).toBe(rowTag.jsonFrom !== undefined);
  });

  test('is counted once, as what its role says', () => {
    const attribution = attributeBytes(flight);
    const sum = Object.values(attribution.kinds).reduce((total, kind) => total + kind, 0);
    expect(sum).toBe(bytes.length);
    expect(attribution.kinds.unread).toBe(0);
    expect(attribution.kinds.debug > 0).toBe(rowTag.role === 'debug');
    expect(attribution.kinds.imports > 0).toBe(rowTag.role === 'module');
    expect(attribution.kinds.errors > 0).toBe(rowTag.role === 'error');
    expect(attribution.kinds.hints > 0).toBe(rowTag.role === 'hint');
    expect(attribution.kinds.binary > 0).toBe(rowTag.holds === 'binary');
    const { children } = buildByteTree(flight, attribution);
    expect(children.reduce((total, child) => total + child.bytes, 0)).toBe(bytes.length);
  });

  test('tells which line of React wrote it', () => {
    expect(guessReact(flight).guess).toBe(rowTag.since ?? '19.0');
  });
});

const withJson = rowTags.filter(({ jsonFrom }) => jsonFrom !== undefined);

test.each(withJson)('"$tag" is broken when its JSON is', (rowTag) => {
  const broken = decodeFlight(write(rowTag, '{"a":'));
  expect(broken.state.kind).toBe('malformed');
  expect(readRow(broken, 1).kind).toBe('broken');
  expect(attributeBytes(broken).kinds.unread).toBeGreaterThan(0);
});

test.each(withJson)('"$tag" may be empty when the table says so', (rowTag) => {
  const empty = decodeFlight(write(rowTag, ''));
  expect(empty.state.kind === 'malformed').toBe(!rowTag.mayBeEmpty);
  expect(readRow(empty, 1).kind === 'broken').toBe(!rowTag.mayBeEmpty);
});

test('the page is made of models, modules and streams', () => {
  const tags = rowTags.filter((rowTag) => isOfPage(rowTag)).map(({ tag }) => tag);
  expect(tags.toSorted()).toEqual(['', 'C', 'I', 'R', 'X', 'b', 'r', 'x']);
});

test('each letter and each name is there once', () => {
  expect(new Set(rowTags.map(({ tag }) => tag)).size).toBe(rowTags.length);
  expect(new Set(rowTags.map(({ name }) => name)).size).toBe(rowTags.length);
});

test('a letter that React’s client takes for a tag and no entry has is read as it reads it', () => {
  const known = new Set(rowTags.map(({ tag }) => tag));
  const others = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ#rx').filter((letter) => !known.has(letter));
  expect(others).not.toHaveLength(0);
  for (const letter of others) {
    const rowTag = rowTagOf(letter);
    expect(rowTag).toMatchObject({ tag: letter, framing: 'line', body: 'unknown', name: `tag ${letter}` });
    expect(readRow(decodeFlight(write(rowTag, '[1]')), 1)).toMatchObject({ kind: 'unknown', value: { kind: 'array' } });
    const broken = decodeFlight(write(rowTag, '{'));
    expect(broken.state.kind).toBe('complete');
    expect(readRow(broken, 1)).toMatchObject({ kind: 'unknown', value: undefined, text: '{' });
  }
});

test('every other byte begins a model', () => {
  const tags = new Set(Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ#rxosblgm', (letter) => letter.charCodeAt(0)));
  for (let byte = 0; byte < 256; byte++) expect(rowTagAt(byte).body === 'model').toBe(!tags.has(byte));
  expect(rowTagOf('ä').body).toBe('model');
  expect(rowTagOf('語').body).toBe('model');
});

/** Where a letter would stand in for the table: `tag === 'E'`, `case 'T':` of a tag, `'RrXx'.includes(tag)`. */
const letterOfTag = /\btag\)? *[!=]== *'[A-Za-z#]+'|'[A-Za-z#]+'\.includes\((?:\w+\.)*tag\b|switch \((?:\w+\.)*tag\)/;

test.each(['.', '../../viewer/src'])('nothing else in %s knows a tag’s letter', (folder) => {
  const here = path.join(import.meta.dirname, folder);
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!.*\.test\.).*\.tsx?$/.test(file),
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(path.join(here, file), 'utf8');
    expect(text.split('\n').filter((line) => letterOfTag.test(line))).toEqual([]);
  }
});
