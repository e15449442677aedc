import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { type Batch, createSpool, type Spool, type SpoolTarget } from './create-spool.ts';
import { writeRecordLine } from './record-line.ts';
import { createSpoolFile } from './spool-file.ts';

const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** A database as far as a spool sees it. */
function createDatabase() {
  const positions = new Map<string, number>();
  const database = {
    isThere: true,
    /** The next commit is done, and its answer is lost. */
    losesAnswer: false,
    rows: [] as unknown[],
    damaged: 0,
    refuses: new Set<unknown>(),
    batches: [] as number[],
    beforeWrite: async (_batch: Batch): Promise<void> => undefined,
  };
  const target: SpoolTarget = {
    async probe() {
      if (!database.isThere) throw gone;
    },
    async write(batch) {
      await database.beforeWrite(batch);
      if (!database.isThere) throw gone;
      const { spool, records, through, damaged } = batch;
      const position = positions.get(spool) ?? 0;
      const fresh = records.filter(({ n }) => n > position).map(({ kept }) => kept);
      const refused = fresh.filter((kept) => database.refuses.has(kept));
      database.rows.push(...fresh.filter((kept) => !database.refuses.has(kept)));
      database.batches.push(records.length);
      database.damaged += damaged;
      positions.set(spool, Math.max(position, through));
      if (database.losesAnswer) {
        database.losesAnswer = false;
        throw gone;
      }
      return refused.length;
    },
  };
  return { database, target };
}

let folder: string;
let lines: Record<string, unknown>[];
const spools: Spool[] = [];
const retryMs = { least: 1, most: 3 };

function openSpool(target: SpoolTarget, options: Partial<Parameters<typeof createSpool>[1]> = {}): Spool {
  const spool = createSpool(target, { folder, limitBytes: 1_000_000, retryMs, ...options });
  spools.push(spool);
  return spool;
}

async function untilCalm(spool: Spool): Promise<void> {
  await vi.waitFor(() => expect(spool.isHolding()).toBe(false));
}

/** Also until that is in the log: its file is removed before. */
async function untilWritten(spool: Spool): Promise<void> {
  await untilCalm(spool);
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ event: 'spool-written' }));
}

function filesLeft(): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'spool-')), 'spool');
  lines = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  }
});

afterEach(async () => {
  await Promise.all(spools.splice(0).map((spool) => spool.stop()));
  vi.restoreAllMocks();
  rmSync(path.dirname(folder), { recursive: true });
});

it('makes nothing while the database answers', async () => {
  const { target } = createDatabase();
  const spool = openSpool(target);
  spool.start();
  await new Promise(setImmediate);
  expect(spool.isHolding()).toBe(false);
  expect(filesLeft()).toEqual([]);
  expect(lines).toEqual([]);
});

it('writes what it held, in order and once, and is gone', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  expect(spool.isHolding()).toBe(true);
  const many = Array.from({ length: 120 }, (_, index) => index);
  for (const kept of many) expect(await spool.keep(kept, 1)).toBe('spooled');
  expect(spool.state()).toMatchObject({ spooled: 120, written: 0, goneSince: expect.any(Number) });
  expect(spool.state().bytes).toBeGreaterThan(120 * 20);
  expect(database.rows).toEqual([]);
  database.isThere = true;
  await untilWritten(spool);
  expect(database.rows).toEqual(many);
  expect(database.batches).toEqual([50, 50, 20]);
  expect(spool.state()).toMatchObject({ spooled: 120, written: 120, bytes: 0, goneSince: undefined });
  await vi.waitFor(() => expect(filesLeft()).toEqual([]));
  expect(lines).toMatchObject([
    { event: 'database-gone', reason: 'connect ECONNREFUSED' },
    { event: 'database-back', seconds: expect.any(Number) },
    { event: 'spool-written', spooled: 120, written: 120, lost: 0 },
  ]);
});

it('holds what comes while it writes, behind the rest', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  await spool.keep('first', 1);
  let added = 0;
  database.beforeWrite = async () => {
    if (added === 3) return;
    added += 1;
    expect(spool.isHolding()).toBe(true);
    await spool.keep(`added ${added}`, 1);
  };
  database.isThere = true;
  await untilCalm(spool);
  expect(database.rows).toEqual(['first', 'added 1', 'added 2', 'added 3']);
});

it('writes nothing twice when the answer to a commit was lost', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  for (const kept of ['a', 'b', 'c']) await spool.keep(kept, 1);
  database.losesAnswer = true;
  database.isThere = true;
  await untilCalm(spool);
  expect(database.rows).toEqual(['a', 'b', 'c']);
});

it('counts the database as back when it answers, and holds what comes until the rest is written', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  await spool.keep('first', 1);
  const writing = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  database.beforeWrite = () => {
    writing.resolve();
    return released.promise;
  };
  database.isThere = true;
  await writing.promise;
  expect([spool.state().goneSince, spool.isHolding()]).toEqual([undefined, true]);
  expect(lines.map(({ event }) => event)).toEqual(['database-gone', 'database-back']);
  await spool.keep('second', 1);
  released.resolve();
  await untilWritten(spool);
  expect(database.rows).toEqual(['first', 'second']);
  expect(lines.at(-1)).toMatchObject({ event: 'spool-written', spooled: 2, written: 2 });
});

it('does not count the database as back that answers and takes nothing', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  let refusals = 0;
  database.beforeWrite = async () => {
    refusals += 1;
    if (refusals > 1) expect(spool.state().goneSince).toBeDefined();
    if (refusals < 4) throw new Error('it takes no writes');
  };
  spool.noteGone(gone);
  await spool.keep('first', 1);
  await untilWritten(spool);
  expect(refusals).toBe(4);
  const [away, again] = ['database-gone', 'database-back'];
  expect(lines.map(({ event }) => event)).toEqual([away, again, away, again, 'spool-written']);
});

it('tells of each time that the database is gone, also when it goes while it writes', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  for (let n = 0; n < 60; n += 1) await spool.keep(n, 1);
  let writes = 0;
  database.beforeWrite = async () => {
    writes += 1;
    if (writes === 2) database.isThere = false;
    if (writes === 2) setTimeout(() => (database.isThere = true), 5);
  };
  database.isThere = true;
  await untilWritten(spool);
  expect(database.rows).toEqual(Array.from({ length: 60 }, (_, n) => n));
  const [away, again] = ['database-gone', 'database-back'];
  expect(lines.map(({ event }) => event)).toEqual([away, again, away, again, 'spool-written']);
  expect(lines.at(-1)).toMatchObject({ spooled: 60, written: 60, lost: 0 });
});

it('leaves room for those with a larger share, and counts what it did not take', async () => {
  const { database, target } = createDatabase();
  const line = writeRecordLine({ n: 1, time: Date.now(), kept: 'untrusted' }).length;
  const spool = openSpool(target, { limitBytes: 4 * line + 2 });
  database.isThere = false;
  spool.noteGone(gone);
  const results = await Promise.all([1, 2, 3].map(() => spool.keep('untrusted', 0.5)));
  expect(results).toEqual(['spooled', 'spooled', 'full']);
  expect(await spool.keep('errors', 1)).toBe('spooled');
  expect(await spool.keep('errors', 1)).toBe('spooled');
  expect(await spool.keep('errors', 1)).toBe('full');
  expect(spool.state().full).toBe(2);
  database.isThere = true;
  await untilWritten(spool);
  expect(lines.at(-1)).toMatchObject({ event: 'spool-written', spooled: 4, written: 4, lost: 2 });
});

it('counts what the database refuses', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  for (const kept of ['a', 'bad', 'c']) await spool.keep(kept, 1);
  database.refuses.add('bad');
  database.isThere = true;
  await untilWritten(spool);
  expect(database.rows).toEqual(['a', 'c']);
  expect(spool.state()).toMatchObject({ written: 2, refused: 1 });
  expect(lines).toMatchObject([
    { event: 'database-gone' },
    { event: 'database-back' },
    { event: 'spool-not-whole', refused: 1, damaged: 0 },
    { event: 'spool-written', written: 2, lost: 1 },
  ]);
});

it('without a disk rejects, and finds the database again', async () => {
  const { database, target } = createDatabase();
  writeFileSync(folder, 'a file where the folder would be');
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  await expect(spool.keep('a', 1)).rejects.toThrow('EEXIST');
  expect(spool.isHolding()).toBe(true);
  database.isThere = true;
  await untilCalm(spool);
  rmSync(folder);
});

it('on a disk that fails rejects that record alone', async () => {
  const { database, target } = createDatabase();
  let fails = false;
  const spool = openSpool(target, {
    create: (file) =>
      createSpoolFile(file, {
        async write(handle, bytes, at) {
          if (fails) throw new Error('ENOSPC');
          await handle.write(bytes, 0, bytes.length, at);
        },
        flush: async () => undefined,
      }),
  });
  database.isThere = false;
  spool.noteGone(gone);
  await spool.keep('a', 1);
  fails = true;
  await expect(spool.keep('b', 1)).rejects.toThrow('ENOSPC');
  fails = false;
  await spool.keep('c', 1);
  database.isThere = true;
  await untilCalm(spool);
  expect(database.rows).toEqual(['a', 'c']);
});

it('leaves its file when it stops, and the next process writes it', async () => {
  const { database, target } = createDatabase();
  const spool = openSpool(target);
  database.isThere = false;
  spool.noteGone(gone);
  await spool.keep('a', 1);
  await spool.stop();
  expect(filesLeft().filter((name) => name.endsWith('.spool'))).toHaveLength(1);
  database.isThere = true;
  const next = openSpool(target);
  next.start();
  await vi.waitFor(() => expect(filesLeft()).toEqual([]));
  expect(database.rows).toEqual(['a']);
  expect(next.state().written).toBe(1);
});

it('goes on behind a batch that the process before had written', async () => {
  const { database, target } = createDatabase();
  mkdirSync(folder);
  const file = path.join(folder, '1-a.spool');
  for (let n = 1; n <= 70; n += 1) appendFileSync(file, writeRecordLine({ n, time: 1, kept: n }));
  appendFileSync(file, '{"cut off');
  await target.write({
    spool: '1-a',
    records: Array.from({ length: 50 }, (_, index) => ({ n: index + 1, time: 1, kept: index + 1 })),
    through: 50,
    damaged: 0,
  });
  const spool = openSpool(target);
  spool.start();
  await vi.waitFor(() => expect(filesLeft()).toEqual([]));
  expect(database.rows).toEqual(Array.from({ length: 70 }, (_, index) => index + 1));
  expect(spool.state().damaged).toBe(0);
});

it('counts damaged lines, and skips what is left of a write that was taken back', async () => {
  const { database, target } = createDatabase();
  mkdirSync(folder);
  const record = (n: number) => writeRecordLine({ n, time: 1, kept: n });
  const damaged = record(2);
  damaged[20] = 0;
  writeFileSync(path.join(folder, '1-a.spool'), Buffer.concat([record(1), damaged, record(3), record(2)]));
  const spool = openSpool(target);
  spool.start();
  await vi.waitFor(() => expect(filesLeft()).toEqual([]));
  expect(database.rows).toEqual([1, 3]);
  expect(database.damaged).toBe(1);
  expect(spool.state().damaged).toBe(1);
});

it('waits with what was left until the database answers', async () => {
  const { database, target } = createDatabase();
  mkdirSync(folder);
  writeFileSync(path.join(folder, '1-a.spool'), writeRecordLine({ n: 1, time: 1, kept: 'a' }));
  database.isThere = false;
  const spool = openSpool(target);
  spool.start();
  await vi.waitFor(() => expect(spool.isHolding()).toBe(true));
  expect(filesLeft()).toContain('1-a.spool');
  database.isThere = true;
  await vi.waitFor(() => expect(database.rows).toEqual(['a']));
});

it('does not wait for what the disk does not give', async () => {
  const { target } = createDatabase();
  writeFileSync(folder, 'a file where the folder would be');
  const spool = openSpool(target);
  spool.start();
  await vi.waitFor(() => expect(lines).toMatchObject([{ event: 'spool-not-read' }]));
  expect(spool.isHolding()).toBe(false);
  rmSync(folder);
});

it('does not take the file of a process that lives', async () => {
  const { database, target } = createDatabase();
  const other = openSpool(target, { retryMs: { least: 60_000, most: 60_000 } });
  database.isThere = false;
  other.noteGone(gone);
  await other.keep('of the other', 1);
  database.isThere = true;
  const spool = openSpool(target);
  spool.start();
  spool.noteGone(gone);
  await untilCalm(spool);
  expect(database.rows).toEqual([]);
  expect(filesLeft().filter((name) => name.endsWith('.spool'))).toHaveLength(1);
});

it('of a process that is killed has everything that was acknowledged', async () => {
  const { database, target } = createDatabase();
  const script = `
    const { createSpool } = await import(${JSON.stringify(path.join(import.meta.dirname, 'create-spool.ts'))});
    const gone = async () => { throw new Error('gone'); };
    const spool = createSpool({ probe: gone, write: gone }, { folder: ${JSON.stringify(folder)}, limitBytes: 1e9 });
    spool.noteGone(new Error('gone'));
    for (let n = 1; ; n += 1) { await spool.keep(n, 1); process.stdout.write(n + ' '); }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  child.stdout.on('data', (text) => {
    told += String(text);
    if (told.length > 400) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const acknowledged = told.split(' ').slice(0, -1).map(Number).filter(Number.isInteger);
  expect(acknowledged.length).toBeGreaterThan(50);
  const spool = openSpool(target);
  spool.start();
  await vi.waitFor(() => expect(filesLeft()).toEqual([]), 5_000);
  expect(database.rows.slice(0, acknowledged.length)).toEqual(acknowledged);
  expect(new Set(database.rows).size).toBe(database.rows.length);
});
