import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readSpool, recordBytes, type SpoolEntry } from './read-spool.ts';
import { readRecordLine, writeRecordLine } from './record-line.ts';
import { createSpoolFile } from './spool-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'spool-'));
  file = path.join(folder, 'one.spool');
});

afterEach(() => rmSync(folder, { recursive: true }));

async function readAll(from = 0, end = Infinity): Promise<SpoolEntry[]> {
  const handle = await open(file, 'r');
  const entries: SpoolEntry[] = [];
  for await (const entry of readSpool(handle, { from, end })) entries.push(entry);
  await handle.close();
  return entries;
}

function numbersOf(entries: readonly SpoolEntry[]): (number | 'damaged')[] {
  return entries.map((entry) => (entry.type === 'record' ? entry.record.n : 'damaged'));
}

const lines = [1, 2, 3].map((n) => writeRecordLine({ n, time: 1_000, kept: { text: `é\n${n}` } }));
const whole = Buffer.concat(lines);

describe('a line', () => {
  it('is read as it was written', () => {
    const record = { n: 7, time: 1_795_000_000_000, kept: { text: 'a\nb\u2028"\0' } };
    const line = writeRecordLine(record);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(readRecordLine(line.subarray(0, -1))).toEqual(record);
  });

  it('is refused with any other byte', () => {
    const line = writeRecordLine({ n: 7, time: 1, kept: 'x' }).subarray(0, -1);
    for (let at = 0; at < line.length; at += 1) {
      const changed = Buffer.from(line);
      changed[at] = (line[at] ?? 0) ^ 1;
      expect(readRecordLine(changed)).toBeUndefined();
    }
  });

  it.each(['[]', '{"n":"1","time":1}', '{"n":1}', 'x'])('of another kind is refused: %s', (body) => {
    const checksum = crc32(body).toString(16).padStart(8, '0');
    expect(readRecordLine(Buffer.from(`${checksum} ${body}`))).toBeUndefined();
  });
});

describe('a file', () => {
  it('that was cut at any byte has every record before it', async () => {
    writeFileSync(file, whole);
    const ends = lines.map((_, index) => Buffer.concat(lines.slice(0, index + 1)).length);
    for (let length = whole.length; length >= 0; length -= 1) {
      truncateSync(file, length);
      expect(numbersOf(await readAll())).toEqual([1, 2, 3].slice(0, ends.filter((end) => end <= length).length));
    }
  });

  it('with a damaged byte anywhere has the other records', async () => {
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (whole[at] ?? 0) ^ 0x20;
      writeFileSync(file, changed);
      const numbers = numbersOf(await readAll()).filter((n) => n !== 'damaged');
      // A lost line break takes two records with it.
      const isBreak = whole[at] === 0x0a;
      expect(numbers.length).toBeGreaterThanOrEqual(isBreak ? 1 : 2);
      expect(numbers).toEqual([1, 2, 3].filter((n) => numbers.includes(n)));
    }
  });

  it('with a line that is too long goes on behind it', async () => {
    writeFileSync(file, Buffer.concat([Buffer.alloc(2 * recordBytes + 5, 'x'), Buffer.from('\n'), whole]));
    const entries = await readAll();
    expect(numbersOf(entries)).toEqual(['damaged', 1, 2, 3]);
    expect(entries[0]?.bytes).toBe(2 * recordBytes + 6);
  });

  it('is read from a place to a place', async () => {
    writeFileSync(file, whole);
    const [first = 0, second = 0] = lines.map((line) => line.length);
    expect(numbersOf(await readAll(first, first + second))).toEqual([2]);
  });

  it('larger than a piece is read whole', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      writeRecordLine({ n: index + 1, time: 1, kept: 'y'.repeat(3_000) }),
    );
    writeFileSync(file, Buffer.concat(many));
    const entries = await readAll();
    expect(entries).toHaveLength(300);
    expect(entries.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(statSync(file).size);
  });
});

describe('appending', () => {
  it('numbers the records and shares a flush', async () => {
    let flushes = 0;
    const spool = await createSpoolFile(file, {
      write: async (handle, bytes, at) => void (await handle.write(bytes, 0, bytes.length, at)),
      async flush(handle) {
        flushes += 1;
        await handle.datasync();
      },
    });
    const numbers = await Promise.all(['a', 'b', 'c', 'd'].map((kept) => spool.append(kept, 10_000)));
    expect(numbers).toEqual([1, 2, 3, 4]);
    expect(flushes).toBe(2);
    expect(spool.size()).toBe(statSync(file).size);
    await spool.close();
    expect((await readAll()).map((entry) => entry.type === 'record' && entry.record.kept)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not acknowledged before the flush', async () => {
    const flushed = Promise.withResolvers<void>();
    const spool = await createSpoolFile(file, { write: async () => undefined, flush: () => flushed.promise });
    let isDone = false;
    const appended = spool.append('a', 10_000).then(() => (isDone = true));
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    expect(spool.isIdle()).toBe(false);
    flushed.resolve();
    await appended;
    await new Promise(setImmediate);
    expect(spool.isIdle()).toBe(true);
    await spool.close();
  });

  it('counts what is on its way for the limit', async () => {
    const spool = await createSpoolFile(file);
    const limit = 2 * writeRecordLine({ n: 1, time: Date.now(), kept: 'a' }).length + 1;
    const results = await Promise.all([1, 2, 3].map(() => spool.append('a', limit)));
    expect(results).toEqual([1, 2, 'full']);
    expect(await spool.append('a', limit)).toBe('full');
    expect(await spool.append('a', 2 * limit)).toBe(3);
    await spool.close();
  });

  it('takes no record that no reader would take', async () => {
    const spool = await createSpoolFile(file);
    expect(await spool.append('x'.repeat(recordBytes), Infinity)).toBe('full');
    await spool.close();
  });

  it.each(['write', 'flush'] as const)('goes on after a %s that failed, without what was refused', async (what) => {
    let fails = false;
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const spool = await createSpoolFile(file, {
      async write(handle, bytes, at) {
        // A full disk takes the beginning.
        await handle.write(bytes, 0, fails && what === 'write' ? bytes.length - 3 : bytes.length, at);
        if (fails && what === 'write') throw full;
      },
      async flush() {
        if (fails && what === 'flush') throw full;
      },
    });
    await spool.append('first', Infinity);
    fails = true;
    await expect(spool.append('second', Infinity)).rejects.toBe(full);
    fails = false;
    expect(await spool.append('third', Infinity)).toBe(3);
    await spool.close();
    expect((await readAll()).map((entry) => entry.type === 'record' && entry.record.kept)).toEqual(['first', 'third']);
  });

  it('never opens what is there', async () => {
    writeFileSync(file, whole);
    await expect(createSpoolFile(file)).rejects.toThrow('EEXIST');
    expect(readFileSync(file)).toEqual(whole);
  });

  it('removes its file', async () => {
    const spool = await createSpoolFile(file);
    await spool.append('a', Infinity);
    await spool.remove();
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });
});
