import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { askMap, endMapThread } from './ask-maps.ts';
import type { MapPlace } from './thread/messages.ts';
import { exampleMap, throwAt } from './thread/pack-for-tests.ts';
import { storeMap } from './thread/store-map.ts';

const lines: Record<string, unknown>[] = [];

afterEach(() => {
  endMapThread();
  vi.restoreAllMocks();
  lines.length = 0;
});

function place(map: unknown): MapPlace {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-ask-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { type: 'stored', file: path.join(folder, storeMap(folder, Buffer.from(JSON.stringify(map))).hash) };
}

/** A thousand million lines in 100 bytes. */
const endless = { version: 3, sections: [{ offset: { line: 1e9, column: 0 }, map: exampleMap }] };
const found = [expect.objectContaining({ source: 'src/app.ts', line: 2 })];

describe('askMap', () => {
  it('asks the thread, and starts it again after it was ended', async () => {
    const map = place(exampleMap);
    expect(await askMap(map, [throwAt], 5_000)).toEqual(found);
    endMapThread();
    expect(await askMap(map, [throwAt], 5_000)).toEqual(found);
  });

  it('gives up a map that never ends, asks it no more, and answers the next', async () => {
    const [bad, good] = [place(endless), place(exampleMap)];
    const from = performance.now();
    expect(await askMap(bad, [throwAt], 2_000)).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(2_500);
    expect(await askMap(good, [throwAt], 5_000)).toEqual(found);
    const again = performance.now();
    expect(await askMap(bad, [throwAt], 2_000)).toBeUndefined();
    expect(performance.now() - again).toBeLessThan(500);
    expect(lines).toMatchObject([{ event: 'source-map-not-read', file: bad.file }]);
  });

  it('waits no longer than the deadline, also in the queue', async () => {
    const [bad, good] = [place(endless), place(exampleMap)];
    const slow = askMap(bad, [throwAt], 1_900);
    expect(await askMap(good, [throwAt], 20)).toBeUndefined();
    expect(await slow).toBeUndefined();
  });

  it('takes no more questions than fit into the queue', async () => {
    const map = place(exampleMap);
    const answers = await Promise.all(Array.from({ length: 210 }, () => askMap(map, [throwAt], 5_000)));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(9);
  });

  it('says nothing of a map that is not there', async () => {
    expect(await askMap({ type: 'stored', file: '/nowhere/at/all' }, [throwAt], 5_000)).toBeUndefined();
  });
});
