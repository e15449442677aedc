import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { postReport, readReportIds } from './testing/post-report.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer } from './testing/start-server.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-backup-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** @returns the ids of `count` reports that were answered with 200 */
async function postMany(port: number, firstVisitor: number, count: number): Promise<string[]> {
  const posted = [];
  for (let at = 0; at < count; at += 1) posted.push(await postReport(port, firstVisitor + Math.floor(at / 20)));
  expect(posted.filter(({ status }) => status !== 200)).toEqual([]);
  return posted.map(({ id }) => id);
}

test('a backup under load holds all that was acknowledged before it, and restores', async () => {
  const dataFolder = path.join(folder, 'data');
  const backup = path.join(folder, 'backup.db');
  await using server = await startServer({ dataFolder });
  const before = await postMany(server.port, 0, 30);
  const [made, during] = await Promise.all([runOperator(dataFolder, 'backup', backup), postMany(server.port, 10, 60)]);
  expect(made).toMatchObject({ code: 0, errors: '' });
  expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'data']);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const saved = readReportIds(backup);
  expect(before.filter((id) => !saved.has(id))).toEqual([]);
  expect([...saved].filter((id) => !before.includes(id) && !during.includes(id))).toEqual([]);

  const refused = await runOperator(dataFolder, 'restore', backup);
  expect(refused).toMatchObject({ code: 1, output: '' });
  expect(refused.errors).toContain(`in use by the server with process id ${server.pid}`);
  await server.end('SIGKILL');
  expect(await runOperator(dataFolder, 'restore', backup)).toMatchObject({ code: 0, errors: '' });
  await using restored = await startServer({ dataFolder });
  const [after] = await postMany(restored.port, 0, 1);
  await restored.end('SIGTERM');
  expect(readReportIds(path.join(dataFolder, 'flight.db'))).toEqual(new Set([...saved, after]));
});

test('healthcheck finds the server that runs, and says when none does', async () => {
  const dataFolder = path.join(folder, 'data');
  await using server = await startServer({ dataFolder });
  expect(await runOperator(dataFolder, 'healthcheck')).toEqual({
    code: 0,
    output: `ready: ${server.host} answered 200\n`,
    errors: '',
  });
  await server.end('SIGTERM');
  expect(await runOperator(dataFolder, 'healthcheck')).toEqual({
    code: 1,
    output: '',
    errors: `flight-recorder: no server runs on ${dataFolder}\n`,
  });
});
