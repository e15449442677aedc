import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { askMap, endMapThread } from './ask-maps.ts';
import type { MapPlace } from './thread/messages.ts';
import { exampleMap, throwAt } from './thread/testing/pack-map.ts';
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

/** A pipe that nobody writes into: reading it never ends. */
function placeWithoutEnd(): MapPlace {
  const { file } = place(exampleMap);
  const pipe = `${file}.pipe`;
  execFileSync('mkfifo', [pipe], { stdio: 'ignore' });
  return { type: 'stored', file: pipe };
}

const found = [expect.objectContaining({ source: 'src/app.ts', line: 2 })];

describe('askMap', () => {
  it('asks the thread, and starts it again after it was ended', async () => {
    const map = place(exampleMap);
    expect(await askMap(map, [throwAt], 5_000)).toEqual(found);
    endMapThread();
    expect(await askMap(map, [throwAt], 5_000)).toEqual(found);
  });

  it('gives up a map that never ends, asks it no more, and answers the next', { timeout: 30_000 }, async () => {
    const [bad, good] = [placeWithoutEnd(), place(exampleMap)];
    const from = performance.now();
    expect(await askMap(bad, [throwAt], 2_000)).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(3_500);
    expect(await askMap(good, [throwAt], 10_000)).toEqual(found);
    const again = performance.now();
    expect(await askMap(bad, [throwAt], 2_000)).toBeUndefined();
    expect(performance.now() - again).toBeLessThan(500);
    expect(lines).toMatchObject([{ event: 'source-map-not-read', file: bad.file }]);
  });

  it('waits no longer than the deadline, also in the queue', { timeout: 30_000 }, async () => {
    const [bad, good] = [placeWithoutEnd(), place(exampleMap)];
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
