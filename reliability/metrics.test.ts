import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { runOperator } from './testing/run-operator.ts';
import { readMetric } from './testing/read-metric.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** `/metrics` of the built server: who gets it, and what it says after something has happened. */
const key = '0123456789abcdef0123456789abcdef';

async function ask({ port, host }: RunningServer, headers: readonly string[] = []) {
  const socket = connect(port, '127.0.0.1');
  const lines = ['GET /metrics HTTP/1.1', `Host: ${host}`, 'Connection: close', ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  const answer = await text(socket);
  const [head = '', ...body] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: body.join('\r\n\r\n') };
}

test('whoever is on this machine gets it, and nobody who comes through something', async () => {
  await using server = await startServer({ env: { METRICS_KEY: key } });
  const plain = await ask(server);
  expect(plain.status).toBe(200);
  expect(plain.head).toContain('content-type: text/plain; version=0.0.4; charset=utf-8');
  expect(plain.head).toContain('cache-control: private, no-store');
  const through = [
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: localhost',
    'Forwarded: for=127.0.0.1',
    'X-Real-IP: 127.0.0.1',
    'Via: 1.1 proxy',
    'CF-Connecting-IP: 127.0.0.1',
    'x-flight-visitor: guess http 127.0.0.1 local',
  ];
  for (const header of through) {
    const refused = await ask(server, [header]);
    expect([header, refused.status]).toEqual([header, 401]);
    expect(JSON.parse(refused.body)).toEqual({ error: { code: 'metrics-key', message: expect.any(String) } });
    expect((await ask(server, [header, `Authorization: Bearer ${key}`])).status).toBe(200);
    expect((await ask(server, [header, `Authorization: Bearer ${key.replace('f', 'e')}`])).status).toBe(401);
  }
  const lines = await server.linesAfter(async () => void (await ask(server, ['Via: 1.1 proxy'])));
  expect(lines.filter(({ fields }) => fields['code'] === 'metrics-key')).toHaveLength(1);
});

test('where an address for people is set, a proxy may say nothing of itself: everybody shows the key', async () => {
  // A name of this machine says nothing of a proxy.
  await using local = await startServer({ env: { BASE_URL: 'http://localhost:9', METRICS_KEY: key } });
  expect((await ask(local)).status).toBe(200);
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-metrics-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { BASE_URL: 'https://flight.example', FLIGHT_AUTH: 'on', METRICS_KEY: key };
  await runOperator({ dataFolder: folder, env: { ...process.env, ...env } }, 'login-link');
  await using server = await startServer({ dataFolder: folder, env });
  expect((await ask(server)).status).toBe(401);
  expect((await ask(server, [`Authorization: Bearer ${key}`])).status).toBe(200);
});

test('counts what happens, and says the same twice when nothing does', async () => {
  await using server = await startServer({ env: { RECORD: 'all' } });
  await fetch(`${server.origin}/lab/throw-before-shell`).then((response) => response.text());
  await fetch(`${server.origin}/lab/streaming`).then((response) => response.text());
  await fetch(`${server.origin}/tunnel`, { method: 'POST', body: 'nothing that an SDK sends' });
  await fetch(`${server.origin}/flights`, { method: 'PUT' });
  let body = '';
  const flights = 'flight_recorder_flights_total{app="flight-recorder",outcome="complete"}';
  await expect
    .poll(async () => readMetric((body = (await ask(server)).body), flights), { timeout: 10_000 })
    .toBeGreaterThan(0);
  expect(readMetric(body, 'flight_recorder_requests_total{kind="document",status="5xx"}')).toBe(1);
  expect(readMetric(body, 'flight_recorder_errors_total{side="server",phase="rsc"}')).toBe(1);
  expect(readMetric(body, 'flight_recorder_received_total{endpoint="tunnel",outcome="malformed-request"}')).toBe(1);
  expect(readMetric(body, 'flight_recorder_refusals_total{code="malformed-request",by="app"}')).toBe(1);
  expect(readMetric(body, 'flight_recorder_commit_seconds_count{kind="error"}')).toBeGreaterThan(0);
  expect(readMetric(body, 'flight_recorder_stored_rows{table="error"}')).toBe(1);
  expect(readMetric(body, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

test('what strangers send adds no line beyond a bound', async () => {
  await using server = await startServer();
  const flights = 'flight_recorder_flights_total{app="flight-recorder",outcome="complete"}';
  const refused = 'flight_recorder_refusals_total{code="too-many-requests",by="app"}';
  const names = (body: string) => body.match(/^flight_\S+/gm) ?? [];
  async function attack(from: number): Promise<void> {
    for (let n = from; n < from + 20; n += 1) {
      const event = { exception: { values: [{ type: `Untrusted${n}`, value: `v${n}` }] } };
      const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}\n{"type":"kind-${n}"}\n{}\n`;
      await fetch(`${server.origin}/tunnel`, { method: 'POST', body });
      await fetch(`${server.origin}/no-such-${n}`, { headers: { accept: 'text/html' } }).then((answer) =>
        answer.text(),
      );
      await fetch(`${server.origin}/api/app-${n}/errors`, { method: 'POST', body: '[]' });
    }
  }
  // A line is there from the first time that its thing happens. The second attack meets the limit of the tunnel; flights are
  // counted when they are written, which is after their answer.
  await attack(0);
  await attack(20);
  let before = '';
  await expect
    .poll(async () => readMetric((before = (await ask(server)).body), flights), { timeout: 10_000 })
    .toBeGreaterThan(0);
  expect(readMetric(before, refused)).toBeGreaterThan(0);
  await attack(40);
  let after = '';
  await expect
    .poll(async () => readMetric((after = (await ask(server)).body), flights), { timeout: 10_000 })
    .toBeGreaterThan(readMetric(before, flights));
  expect(names(after)).toEqual(names(before));
  expect(after).not.toMatch(/Untrusted\d|kind-\d|no-such-|app-\d/);
});
