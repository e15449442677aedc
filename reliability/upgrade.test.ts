import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { isQuick } from './testing/is-quick.ts';
import { postReport, readReportIds } from './testing/post-report.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer, StartFailure } from './testing/start-server.ts';

let folder: string;
let dataFolder: string;
let database: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-upgrade-'));
  dataFolder = path.join(folder, 'data');
  database = path.join(dataFolder, 'flight.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

const kills = isQuick ? 3 : 20;

function startUpgrade(mode: 'wait' | 'finish'): ChildProcess {
  const script = path.join(import.meta.dirname, 'testing/upgrade-child.ts');
  return spawn(process.execPath, [script, dataFolder, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function readSchema(): { version: number; tables: unknown[] } {
  const opened = new DatabaseSync(database);
  const version = Number(opened.prepare('pragma user_version').get()?.['user_version']);
  const tables = opened.prepare("select name from sqlite_schema where type = 'table'").all();
  opened.close();
  return { version, tables: tables.map((row) => row['name']) };
}

async function leaveReports(): Promise<Set<string>> {
  await using server = await startServer({ dataFolder });
  const posted = await Promise.all([0, 1, 2].map((visitor) => postReport(server.port, visitor)));
  await server.end('SIGTERM');
  expect(posted.map(({ status }) => status)).toEqual([200, 200, 200]);
  return new Set(posted.map(({ id }) => id));
}

async function failToStart(): Promise<string> {
  try {
    await using server = await startServer({ dataFolder });
    throw new Error(`It listens on ${server.port}`);
  } catch (error) {
    if (error instanceof StartFailure) return error.output;
    throw error;
  }
}

test('an upgrade that is killed inside a step leaves the old schema; the next start works', async () => {
  const ids = await leaveReports();
  const before = readSchema();
  for (let round = 0; round < kills; round += 1) {
    const upgrade = startUpgrade('wait');
    const ended = once(upgrade, 'exit');
    if (upgrade.stdout) await once(upgrade.stdout, 'data');
    await wait(Math.random() * 30);
    upgrade.kill('SIGKILL');
    await ended;
  }
  await using server = await startServer({ dataFolder });
  expect((await postReport(server.port, 0)).status).toBe(200);
  await server.end('SIGTERM');
  expect(readSchema()).toEqual(before);
  expect([...ids].filter((id) => !readReportIds(database).has(id))).toEqual([]);
});

test('an upgrade that ends can be undone with its copy, and the build before it says how', async () => {
  const ids = await leaveReports();
  const { version } = readSchema();
  const [code] = await once(startUpgrade('finish'), 'exit');
  expect([code, readSchema().version]).toEqual([0, version + 1]);
  expect(await failToStart()).toMatch(
    new RegExp(
      `^flight-recorder: The database has schema version ${version + 1}, this build knows up to ${version}\\. .*$`,
    ),
  );
  const copy = path.join(dataFolder, `flight-before-v${version + 1}.db`);
  expect(existsSync(copy)).toBe(true);
  expect(await runOperator(dataFolder, 'restore', copy)).toMatchObject({ code: 0, errors: '' });
  await using server = await startServer({ dataFolder });
  await server.end('SIGTERM');
  expect(readReportIds(database)).toEqual(ids);
});

test('a command of the next build does not upgrade under the server that runs', async () => {
  await leaveReports();
  await using server = await startServer({ dataFolder });
  const upgrade = spawn(process.execPath, [
    path.join(import.meta.dirname, 'testing/upgrade-child.ts'),
    dataFolder,
    'finish',
  ]);
  let errors = '';
  upgrade.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = await once(upgrade, 'close');
  expect(code).toBe(1);
  expect(errors).toContain(`is in use by the server with process id ${server.pid}`);
  expect((await postReport(server.port, 0)).status).toBe(200);
});
