import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { startCommand } from '../reliability/testing/run-command.ts';
import { findFreePort } from '../reliability/testing/start-server.ts';
import { addApp } from './testing/add-app.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const root = path.join(import.meta.dirname, '..');
const app = 'timed';

/**
 * An app with OpenTelemetry. Its page sends a request, then a query, then one request twice. The times are made up: the app answers
 * at once.
 */
function createTimedApp(baseURL: string, key: string): { server: Server; flush: () => Promise<void> } {
  const exporter = new OTLPTraceExporter({
    url: `${baseURL}/api/${app}/otlp/v1/traces`,
    headers: { authorization: `Bearer ${key}` },
  });
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('app');
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const server = createServer((incoming, outgoing) => {
    const now = Date.now();
    const within = propagation.extract(context.active(), incoming.headers);
    const page = tracer.startSpan('GET /cart?coupon=s3cret', { kind: SpanKind.SERVER, startTime: now }, within);
    const inPage = trace.setSpan(within, page);
    const ask = (from: number, ms: number, attributes: Record<string, string>, hasFailed = false) => {
      const span = tracer.startSpan('asked', { kind: SpanKind.CLIENT, startTime: now + from, attributes }, inPage);
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now + from + ms);
    };
    const address = 'https://me:s3cret@reviews.internal/of?cart=s3cret';
    ask(5, 200, { 'http.request.method': 'GET', 'url.full': address });
    ask(206, 100, { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT', 'db.query.text': 's3cret' });
    for (const from of [320, 330]) {
      ask(from, 60, { 'http.method': 'GET', 'http.url': 'http://prices/all' }, from === 330);
    }
    page.end(now + 400);
    outgoing.writeHead(200, { 'content-type': 'text/x-component' });
    outgoing.end('0:["$","h1",null,{"children":"A cart"}]\n');
  });
  return { server, flush: () => provider.forceFlush() };
}

test('what the server did for a flight is on its page, without JavaScript too', async ({ page, browser, baseURL }) => {
  const { server, flush } = createTimedApp(baseURL ?? '', await addApp(app));
  const [appPort, port] = [await findFreePort(), await findFreePort()];
  await once(server.listen(appPort, '127.0.0.1'), 'listening');
  const front = ['--to', `http://127.0.0.1:${appPort}`, '--port', String(port), '--app', app, '--traces'];
  await using proxy = startCommand(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...front], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'] },
  });
  await proxy.waitFor(/What is kept/);
  // Two visitors at once: each flight has what was done for it.
  const visits = ['/cart', '/cart'].map((at) => fetch(`http://127.0.0.1:${port}${at}`, { headers: { rsc: '1' } }));
  for (const visit of visits) await (await visit).text();
  await flush();
  server.close();

  const panel = page.getByRole('region', { name: 'Where the server’s time went' });
  await expect(async () => {
    await page.goto(`/flights?app=${app}`);
    await page.getByRole('row', { name: '/cart' }).first().getByRole('link').first().click({ timeout: 1_000 });
    await expect(panel.getByRole('row')).toHaveCount(6, { timeout: 1_000 });
  }).toPass();
  await expect(panel.getByRole('row', { name: 'GET reviews.internal/of' })).toContainText('200 ms');
  await expect(panel.getByRole('row', { name: 'postgresql SELECT' })).toContainText('100 ms');
  await expect(panel.getByRole('row', { name: 'failed' })).toHaveCount(1);
  await expect(panel.getByRole('listitem')).toHaveText([
    /^GET reviews\.internal\/of took 200 ms, \d+ % of the time\.$/,
    /^2 requests, each begun when the one before had ended, took 300 ms: .* together they take 200 ms/,
    /^GET prices\/all was asked 2 times, 120 ms in all\./,
  ]);
  expect(await page.content()).not.toContain('s3cret');

  const plain = await openWithoutJavaScript(browser, baseURL);
  await plain.goto(page.url());
  await expect(plain.getByRole('row', { name: 'GET reviews.internal/of' })).toContainText('200 ms');

  await plain.goto(`/flights?app=${app}&view=routes`);
  await plain.getByRole('row', { name: '/cart' }).getByRole('link', { name: '/cart' }).click();
  await plain.getByText('How long this route takes, and what for').click();
  const times = plain.getByRole('table', { name: 'How long it took' });
  await expect(times.getByRole('row', { name: 'The last 24 hours' }).getByRole('cell').first()).toHaveText('2');
  const meanwhile = plain.getByRole('table', { name: 'What the server did meanwhile' });
  await expect(meanwhile.getByRole('rowheader')).toHaveText([
    'GET reviews.internal/of',
    'GET prices/all',
    'postgresql SELECT',
    'GET /cart',
  ]);
  await expect(meanwhile.getByRole('row', { name: 'GET prices/all' })).toContainText('2 of 2, 4 times');
  await expect(meanwhile.getByRole('row', { name: 'GET reviews.internal/of' })).toContainText('200 ms');
  await plain.context().close();

  // The same goes with the flight: into one file that asks nobody, and from there into the decoder.
  const file = test.info().outputPath('cart.html');
  const { pathname } = new URL(page.url());
  writeFileSync(file, await (await page.request.get(`${pathname}/one-file`)).body());
  const offline = await (await browser.newContext()).newPage();
  await offline.goto(pathToFileURL(file).href);
  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles(file);
  for (const shown of [offline, page]) {
    const carried = shown.getByRole('region', { name: 'Where the server’s time went' });
    await expect(carried.getByRole('row', { name: 'postgresql SELECT' })).toContainText('100 ms');
    await expect(carried.getByRole('listitem')).toHaveCount(3);
  }
  await offline.context().close();
});
