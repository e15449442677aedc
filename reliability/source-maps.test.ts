import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { eachMapping, type EachMapping, TraceMap } from '@jridgewell/trace-mapping';
import { expect, onTestFinished, test } from 'vitest';

import { addApp } from '../e2e/testing/add-app.ts';
import { makeUploadToken } from '../e2e/testing/make-upload-token.ts';
import { packBundle, sha1, throwAt } from '../src/faults/source-maps/thread/testing/pack-map.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

const dist = path.join(import.meta.dirname, '../dist');
const debugId = 'dfdad0f3-a5b7-5105-9f5f-2ff1dd00b74d';

type Json = Record<string, unknown>;

function query(server: RunningServer, sql: string): readonly Json[] {
  const database = new DatabaseSync(path.join(server.dataFolder, 'flight.db'), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** As the Sentry CLI uploads. @returns the last answer */
async function upload(server: RunningServer, token: string, bundle: Buffer): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const api = `${server.origin}/api/0/organizations/any`;
  const body = JSON.stringify({ checksum: sha1(bundle), chunks: [sha1(bundle)], projects: ['shop'] });
  const asked = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  expect(await (await fetch(`${api}/artifactbundle/assemble/`, asked)).json()).toMatchObject({ state: 'not_found' });
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bundle)]), sha1(bundle));
  expect((await fetch(`${api}/chunk-upload/`, { method: 'POST', headers, body: form })).status).toBe(200);
  return await (await fetch(`${api}/artifactbundle/assemble/`, asked)).json();
}

type Thrown = { readonly file: string; readonly line: number; readonly column: number; readonly debugId?: string };

/** @param address of the endpoint, with the key where it wants one */
async function report(address: string, { file, line, column, debugId: id }: Thrown): Promise<Response> {
  const event = {
    event_id: randomBytes(16).toString('hex'),
    platform: 'javascript',
    timestamp: Date.now() / 1000,
    exception: {
      values: [
        {
          type: 'Error',
          value: 'x',
          stacktrace: {
            frames: [{ function: 'a', filename: file, abs_path: file, lineno: line, colno: column, in_app: true }],
          },
        },
      ],
    },
    ...(id === undefined ? {} : { debug_meta: { images: [{ type: 'sourcemap', code_file: file, debug_id: id }] } }),
  };
  const body = [{ event_id: event.event_id }, { type: 'event' }, event].map((part) => JSON.stringify(part)).join('\n');
  return await fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/x-sentry-envelope' } });
}

function readFrames(server: RunningServer): unknown {
  const [row] = query(server, `select frames_json from event where side = 'browser' order by received_at desc limit 1`);
  return JSON.parse(String(row?.['frames_json'] ?? 'null'));
}

test('an error with a debug id has the source of the map that was uploaded, and so has its fault', async () => {
  await using server = await startServer();
  await addApp('shop', server.dataFolder);
  const token = await makeUploadToken('shop', server.dataFolder);
  const [app] = query(server, 'select number, public_key as key from app');
  const address = `${server.origin}/api/${String(app?.['number'])}/envelope/?sentry_key=${String(app?.['key'])}`;
  const file = 'https://shop.example/static/app.min.js';
  expect((await report(address, { file, ...throwAt, debugId })).status).toBe(200);
  expect(readFrames(server)).toMatchObject([{ file: '/static/app.min.js', ...throwAt }]);

  expect(await upload(server, token, packBundle([{ url: '~/static/app.min.js', debugId }]))).toMatchObject({
    state: 'ok',
  });
  expect((await report(address, { file, ...throwAt, debugId })).status).toBe(200);
  expect(readFrames(server)).toMatchObject([
    { source: 'src/app.ts', line: 2, column: 3, inApp: true, context: { firstLine: 1 } },
  ]);
  const culprits = query(server, "select culprit from fault where app = 'shop' order by first_time").map(
    (row) => row['culprit'],
  );
  expect(culprits.at(-1)).toContain('src/app.ts');
});

test('a map that never ends costs its own error its source, and nothing else', async () => {
  await using server = await startServer();
  await addApp('shop', server.dataFolder);
  const token = await makeUploadToken('shop', server.dataFolder);
  const [app] = query(server, 'select number, public_key as key from app');
  const address = `${server.origin}/api/${String(app?.['number'])}/envelope/?sentry_key=${String(app?.['key'])}`;
  expect(await upload(server, token, packBundle([{ url: '~/a.js', debugId }]))).toMatchObject({ state: 'ok' });
  // A pipe that nobody writes into, in place of the map.
  const folder = path.join(server.dataFolder, 'source-maps/shop');
  const map = path.join(folder, readdirSync(folder).find((name) => /^[\da-f]{64}$/.test(name)) ?? '');
  rmSync(map);
  execFileSync('mkfifo', [map]);
  const from = performance.now();
  expect((await report(address, { file: '/a.js', ...throwAt, debugId })).status).toBe(200);
  // The two seconds of the deadline, and what a busy machine adds.
  expect(performance.now() - from).toBeLessThan(5_000);
  expect(readFrames(server)).toMatchObject([{ file: '/a.js', ...throwAt }]);
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  await server.waitForLine(({ event }) => event === 'source-map-not-read');
  expect((await report(address, { file: '/a.js', ...throwAt, debugId })).status).toBe(200);
});

function pickOwnMapping(mapFile: string): Thrown & { readonly source: string } {
  const found: EachMapping[] = [];
  eachMapping(new TraceMap(readFileSync(mapFile, 'utf8')), (mapping) => {
    if (mapping.source?.includes('/src/')) found.push(mapping);
  });
  const mapping = found[0];
  if (!mapping?.source) throw new Error(`no source of this project in ${mapFile}`);
  const source = mapping.source.slice(mapping.source.indexOf('src/'));
  const file = `/assets/${path.basename(mapFile, '.map')}`;
  return { file, line: mapping.generatedLine, column: mapping.generatedColumn + 1, source };
}

test('an old tab’s error has its source after the build that the tab was loaded from is gone', async () => {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-old-tab-'));
  const later = mkdtempSync(path.join(tmpdir(), 'flight-later-'));
  onTestFinished(() => {
    for (const folder of [dataFolder, later]) rmSync(folder, { recursive: true });
  });
  const maps = path.join(dist, 'maps/assets');
  const own = readdirSync(maps).find((name) => name.startsWith('runtime-') && name.endsWith('.map'));
  const thrown = pickOwnMapping(path.join(maps, own ?? ''));
  {
    await using first = await startServer({ dataFolder });
    const countKept = (): unknown => query(first, 'select count(*) as kept from map_file')[0]?.['kept'];
    await expect.poll(countKept, { timeout: 10_000 }).toBeGreaterThan(10);
  }
  // The next build has other scripts: none of these maps is in its folder.
  cpSync(dist, path.join(later, 'dist'), {
    recursive: true,
    filter: (file) => file !== path.join(dist, 'maps'),
  });
  await using second = await startServer({ dataFolder, dist: path.join(later, 'dist') });
  const file = `${second.origin}${thrown.file}`;
  expect((await report(`${second.origin}/tunnel`, { ...thrown, file })).status).toBe(200);
  expect(readFrames(second)).toMatchObject([
    { source: thrown.source, inApp: true, context: { firstLine: expect.any(Number) } },
  ]);
});
