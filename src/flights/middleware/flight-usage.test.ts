import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { currentWriter, startRecorder } from '#src/flights/recorder/recorder.ts';

import { flightUsage } from './flight-usage.ts';

let folder: string;
let stop: () => Promise<void>;
let app: Hono;
let refusals: string[];
const trace = 'a'.repeat(32);

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-usage-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  refusals = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => refusals.push(String(text)) > 0);
  stop = await startRecorder();
  app = new Hono();
  app.use(flightUsage('/usage'));
  app.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(async () => {
  await stop();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function post(body: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }): Promise<Response> {
  return Promise.resolve(app.request('http://host.test/usage', { method: 'POST', body, headers }));
}

it('takes a trace and the prefetches that were shown', async () => {
  const note = vi.spyOn(currentWriter(), 'note');
  expect((await post(`${trace},${'b'.repeat(32)},nonsense`)).status).toBe(204);
  expect(note).toHaveBeenCalledWith({ time: expect.any(Number), used: ['b'.repeat(32)], closedTrace: trace });
  expect(refusals).toEqual([]);
});

it.each([
  ['no ids', 400, 'hello', undefined],
  ['more than a kilobyte', 413, `${trace},`.repeat(40), undefined],
  ['another site', 403, trace, { 'sec-fetch-site': 'cross-site' }],
  ['no word on its origin', 403, trace, {}],
])('refuses %s with %i and one line', async (_what, status, body, headers) => {
  const note = vi.spyOn(currentWriter(), 'note');
  expect((await post(body, headers)).status).toBe(status);
  expect(refusals).toHaveLength(1);
  expect(note).not.toHaveBeenCalled();
});

it('takes POST alone, and nobody else’s path', async () => {
  expect((await app.request('http://host.test/usage')).status).toBe(405);
  expect((await app.request('http://host.test/other', { method: 'POST' })).status).toBe(404);
});
