import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { packZip, type PackedFile } from './testing/pack-map.ts';
import { openZip, type Zip } from './read-zip.ts';

const limits = { entries: 10, bytes: 1_000 };

function open(bytes: Buffer, more = limits): Zip {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-zip-'));
  const file = path.join(folder, 'a.zip');
  writeFileSync(file, bytes);
  const fd = openSync(file, 'r');
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  return openZip(fd, bytes.length, more);
}

function readOne(file: PackedFile, mostBytes = 500): string {
  const zip = open(packZip([file]));
  const entry = zip.entries.get(file.name);
  if (!entry) throw new Error('it is not in the list');
  return zip.read(entry, mostBytes).toString();
}

describe('openZip', () => {
  it.each(['', 'SYSB\x02\0\0\0'])('reads each entry of an archive behind %j', (before) => {
    const zip = open(
      packZip(
        [
          { name: 'a/b.js', content: 'one' },
          { name: '../../etc', content: 'two '.repeat(50) },
        ],
        before,
      ),
    );
    expect([...zip.entries.values()].map((entry) => [entry.name, zip.read(entry, 500).toString()])).toEqual([
      ['a/b.js', 'one'],
      ['../../etc', 'two '.repeat(50)],
    ]);
  });

  it('reads one whose offsets count from its first entry', () => {
    const zip = open(Buffer.concat([Buffer.from('something before'), packZip([{ name: 'a', content: 'one' }])]));
    expect([...zip.entries.values()].map((entry) => zip.read(entry, 500).toString())).toEqual(['one']);
  });

  it('takes the first of two entries with one name', () => {
    const zip = open(packZip(['one', 'two'].map((content) => ({ name: 'a', content }))));
    expect([...zip.entries.values()].map((entry) => zip.read(entry, 500).toString())).toEqual(['one']);
  });

  it('finds the list in front of a comment', () => {
    const bytes = packZip([{ name: 'a', content: 'one' }]);
    bytes.writeUInt16LE(7, bytes.length - 2);
    expect([...open(Buffer.concat([bytes, Buffer.from('comment')])).entries.keys()]).toEqual(['a']);
  });

  it.each<[string, PackedFile, number, string]>([
    [
      'unpacks to more than it says',
      { name: 'a', content: 'x'.repeat(400), claims: { bytes: 20 } },
      500,
      'does not unpack to the size',
    ],
    ['unpacks to less than it says', { name: 'a', content: 'x', claims: { bytes: 20 } }, 500, 'is damaged'],
    ['has another checksum', { name: 'a', content: 'x', claims: { crc: 1 } }, 500, 'is damaged'],
    ['is larger than what is asked for', { name: 'a', content: 'x'.repeat(60) }, 50, 'has more than 50 bytes'],
    ['is packed in another way', { name: 'a', content: 'x', claims: { method: 93 } }, 500, 'not known here (93)'],
    ['is encrypted', { name: 'a', content: 'x', claims: { flags: 1 } }, 500, 'is encrypted'],
    ['is no longer there', { name: 'a', content: Buffer.alloc(0), claims: { bytes: 3 } }, 500, ''],
  ])('refuses an entry that %s', (_, file, mostBytes, reason) => {
    expect(() => readOne(file, mostBytes)).toThrow(reason);
  });

  it('reads no more than all entries together may have, also when they share their bytes', () => {
    const files = ['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(400) }));
    const zip = open(packZip(files));
    const read = [...zip.entries.values()].map((entry) => () => zip.read(entry, 500));
    expect(read.slice(0, 2).map((one) => one().length)).toEqual([400, 400]);
    expect(read[2]).toThrow('unpacks to more than 1000 bytes');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('this is no archive, and longer than the end of one')],
    ['one that is cut off', packZip([{ name: 'a', content: 'one' }]).subarray(0, -30)],
    ['one without its beginning', packZip([{ name: 'a', content: 'one' }]).subarray(60)],
    [
      'one with more files than is taken',
      packZip(Array.from({ length: 11 }, (_, at) => ({ name: `${at}`, content: '' }))),
    ],
  ])('refuses %s', (_, bytes) => {
    expect(() => open(bytes)).toThrow(/archive/);
  });

  it('refuses a list with fewer files than it says', () => {
    const bytes = packZip([{ name: 'a', content: 'one' }]);
    bytes.writeUInt16LE(2, bytes.length - 12);
    expect(() => open(bytes)).toThrow('the list of files is damaged');
  });
});
