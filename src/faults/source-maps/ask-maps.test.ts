import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { askMap, endMapThread, withoutMapThread } from './ask-maps.ts';
import type { MapPlace } from './thread/messages.ts';
import { exampleMap, throwAt } from './thread/testing/pack-map.ts';
import { storeMap } from './thread/store-map.ts';

let memoryShare: number | undefined;
vi.mock('#src/server/http/load.ts', () => ({ readMemoryShare: () => memoryShare, readFreeMemory: () => undefined }));

const lines: Record<string, unknown>[] = [];

afterEach(() => {
  test += 1;
  endMapThread();
  vi.restoreAllMocks();
  lines.length = 0;
});

/** Each test has apps of its own: what is known of one stays. */
let test = 0;

function place(map: unknown, app = 'shop'): MapPlace {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'flight-ask-')), `${app}-${test}`);
  mkdirSync(folder);
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true }));
  return { type: 'stored', file: path.join(folder, storeMap(folder, Buffer.from(JSON.stringify(map))).hash) };
}

/** A pipe that nobody writes into: reading it never ends. */
function placeWithoutEnd(app = 'shop'): MapPlace {
  const { file } = place(exampleMap, app);
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

  it('keeps the thread only while the process has memory left', async () => {
    const map = place(exampleMap);
    const end = vi.spyOn(Worker.prototype, 'terminate');
    for (const [share, ends] of [
      [0.6, 0],
      [0.8, 1],
      [undefined, 1],
    ] as const) {
      memoryShare = share;
      expect(await askMap(map, [throwAt], 5_000)).toEqual(found);
      expect(end).toHaveBeenCalledTimes(ends);
    }
  });

  it('reads no map while something else has a thread, where memory is limited, and goes on after that', async () => {
    const map = place(exampleMap);
    await askMap(map, [throwAt], 5_000);
    const end = vi.spyOn(Worker.prototype, 'terminate');
    memoryShare = 0.3;
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const work = withoutMapThread(() => done);
    expect(await askMap(map, [throwAt], 50)).toBeUndefined();
    expect(end).toHaveBeenCalledTimes(1);
    const waiting = askMap(map, [throwAt], 5_000);
    finish();
    await work;
    expect(await waiting).toEqual(found);
    memoryShare = undefined;
    await withoutMapThread(async () => expect(await askMap(map, [throwAt], 5_000)).toEqual(found));
    expect(end).toHaveBeenCalledTimes(1);
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

  it('asks for each app in turns, however many questions one has', async () => {
    const [flooding, other] = [place(exampleMap, 'flood'), place(exampleMap, 'other')];
    const order: string[] = [];
    const note = (app: string) => (answer: unknown) => void (answer !== undefined && order.push(app));
    // More than one queue takes.
    const flood = Array.from({ length: 300 }, () => askMap(flooding, [throwAt], 10_000).then(note('flood')));
    const asked = Array.from({ length: 3 }, () => askMap(other, [throwAt], 10_000).then(note('other')));
    await Promise.all([...flood, ...asked]);
    expect(order.slice(0, 7).filter((app) => app === 'other')).toHaveLength(3);
    expect(order).toHaveLength(204);
  });

  it(
    'lets an app that used the thread for long wait for the others, and gives it less time',
    { timeout: 60_000 },
    async () => {
      const [first, second, third] = [placeWithoutEnd('flood'), placeWithoutEnd('flood'), place(exampleMap, 'flood')];
      const other = place(exampleMap, 'other');
      // It takes the four seconds that an answer may take.
      await askMap(first, [throwAt], 10_000);
      const order: string[] = [];
      const began = performance.now();
      const more = [second, third].map((map, at) =>
        askMap(map, [throwAt], 10_000).then(() => order.push(`flood ${at}`)),
      );
      const asked = Array.from({ length: 3 }, () => askMap(other, [throwAt], 10_000).then(() => order.push('other')));
      await Promise.all(more);
      expect(performance.now() - began).toBeLessThan(3_500);
      await Promise.all(asked);
      // The first question was being asked when the others came.
      expect(order).toEqual(['flood 0', 'other', 'other', 'other', 'flood 1']);
    },
  );

  it('says nothing of a map that is not there', async () => {
    expect(await askMap({ type: 'stored', file: '/nowhere/at/all' }, [throwAt], 5_000)).toBeUndefined();
  });
});
