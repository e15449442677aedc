import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'flight-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

const wantedBytes = 12 * 1024 * 1024;
const fixture = path.join(import.meta.dirname, '../../../fixtures/react-19.3.1-production/bigtree.flight');

/** Real rows under ever new ids, which is what a large page is made of. */
function repeatRealRows(): Buffer {
  const rows = readFileSync(fixture, 'latin1').split('\n').slice(0, -1);
  const text: string[] = [];
  for (let id = 0, length = 0; length < wantedBytes; id++) {
    const row = rows[id % rows.length] ?? '';
    const renamed = `${id.toString(16)}${row.slice(row.indexOf(':'))}\n`;
    text.push(renamed);
    length += renamed.length;
  }
  return Buffer.from(text.join(''), 'latin1');
}

/** Of the bytes that `find` finds, one in some three hundred is another; always the same ones. */
function damage(bytes: Buffer, find: (from: number) => number): Buffer {
  let state = 7;
  for (let at = find(0); at >= 0 && at < bytes.length; at = find(at + 1 + (state % 600))) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[at] = 0x20 + (state >>> 26);
  }
  return bytes;
}

/** Quotes alone are changed, so that the rows stay rows and their JSON does not. */
function damageQuotes(bytes: Buffer): Buffer {
  return damage(bytes, (from) => bytes.indexOf('"', from));
}

/** Four times the input, the input itself apart: what a viewer of large payloads may cost. */
const perByte = 4;
/** What a decoder keeps for any input: a window of text, and the reserve of arrays that grow by estimate. */
const fixedBytes = 1024 * 1024;
/** The system counts pages that the collector has not given back yet: at most its young generation. */
const collectorBytes = 32 * 1024 * 1024;

type Measured = { bytes: number; retained: number; peak: number };

describe('memory', () => {
  test.each<[string, () => Buffer]>([
    ['real rows', repeatRealRows],
    ['real rows with broken JSON', () => damageQuotes(repeatRealRows())],
    ['real rows with any byte changed', () => damage(repeatRealRows(), (from) => from + 400)],
    ['one text', () => Buffer.concat([Buffer.from(`0:T${wantedBytes.toString(16)},`), Buffer.alloc(wantedBytes, 'x')])],
    ['open brackets', () => Buffer.from(`0:${'['.repeat(wantedBytes)}`)],
    ['the shortest values', () => Buffer.from(`0:[${'[],'.repeat(wantedBytes / 3)}1]\n`)],
    ['the shortest rows', () => Buffer.from(':1\n'.repeat(wantedBytes / 3))],
    ['the shortest rows, as many as are read', () => Buffer.from(':1\n'.repeat(999_999))],
    ['references to nothing', () => Buffer.from(`0:[${'"$abcdef",'.repeat(wantedBytes / 10)}1]\n`)],
  ])('of %s is at most four times its bytes', async (_name, create) => {
    const file = path.join(folder, 'input');
    writeFileSync(file, create());
    const script = path.join(import.meta.dirname, 'measure-memory.ts');
    const { stdout } = await run(process.execPath, ['--expose-gc', '--max-old-space-size=256', script, file]);
    const { bytes, retained, peak }: Measured = JSON.parse(stdout);
    expect(retained).toBeLessThanOrEqual(perByte * bytes + fixedBytes);
    expect(peak).toBeLessThanOrEqual(perByte * bytes + collectorBytes);
  });
});
