import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';

import { startCommand } from '../reliability/testing/run-command.ts';
import { findFreePort } from '../reliability/testing/start-server.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

const root = path.join(import.meta.dirname, '..');
const actionId = '40'.padEnd(42, 'a');

/** The body has a shape to be recognised: the app behind the proxy reads none. */
const forged = '[{"a":1},"$0:0:constructor"]';

function call(port: number, body: string, id = actionId): Promise<Response> {
  const headers = { 'next-action': id, 'content-type': 'text/plain;charset=UTF-8' };
  return fetch(`http://127.0.0.1:${port}/checkout`, { method: 'POST', headers, body });
}

test(
  'what somebody tried is refused, and shown with what it was',
  { tag: '@daily' },
  async ({ page, browser, baseURL }) => {
    let asked = 0;
    const app = createServer((incoming, outgoing) => {
      asked += 1;
      incoming
        .resume()
        .on('end', () => outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('no such action'));
    });
    const [appPort, port] = [await findFreePort(), await findFreePort()];
    await once(app.listen(appPort, '127.0.0.1'), 'listening');
    const front = ['--to', `http://127.0.0.1:${appPort}`, '--port', String(port), '--app', 'guarded'];
    const command = [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...front, '--block-forged', 'pass'];
    await using proxy = startCommand(process.execPath, command, {
      cwd: root,
      env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'] },
    });
    await proxy.waitFor(/What is kept/);
    expect((await call(port, forged)).status).toBe(403);
    expect((await call(port, forged)).status).toBe(403);
    expect(asked).toBe(0);
    expect((await call(port, '[]', 'x')).status).toBe(404);
    expect((await call(port, '["Ada"]')).status).toBe(404);

    const tries = page.getByRole('table', { name: 'Forged requests' });
    await expect(async () => {
      await page.goto('/guard?app=guarded');
      await expect(tries.getByRole('row')).toHaveCount(3, { timeout: 500 });
      await expect(tries.getByRole('row', { name: 'CVE-2025-55182' })).toContainText('4032', { timeout: 500 });
    }).toPass();
    await expect(tries.getByRole('row', { name: 'An action that no build has' })).toContainText('404');

    const plain = await openWithoutJavaScript(browser, baseURL);
    await plain.goto('/flights');
    await plain.getByRole('navigation', { name: 'View' }).getByRole('link', { name: 'Guard' }).click();
    const row = plain.getByRole('row', { name: 'CVE-2025-55182' });
    await row.locator('summary').click();
    await expect(row.locator('pre')).toHaveText(forged);
    await plain.context().close();
    app.close();
  },
);

test('a secret in a payload is listed by its place, and no page says it', async ({ page }) => {
  // Put together here, so that whoever looks for keys in repositories finds none.
  const [key, ofApp] = [['sk_live', '9aKq3LmZ7xTb2VwRc8YpJd4N'].join('_'), 'kf93-jd02-xm'];
  const props = JSON.stringify({ user: { apiKey: key }, config: { session: ofApp } });
  const app = createServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/x-component' });
    outgoing.end(`1:I["src/pay.tsx",["assets/pay.js"],"Pay"]\n0:["$","$L1",null,${props}]\n`);
  });
  const [appPort, port] = [await findFreePort(), await findFreePort()];
  await once(app.listen(appPort, '127.0.0.1'), 'listening');
  const front = ['--to', `http://127.0.0.1:${appPort}`, '--port', String(port), '--app', 'leaky'];
  await using proxy = startCommand(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...front], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'], SESSION_SECRET: ofApp, NEXT_PUBLIC_KEY: 'Pay' },
  });
  await proxy.waitFor(/What is kept/);
  for (const _ of [1, 2]) await (await fetch(`http://127.0.0.1:${port}/pay`, { headers: { rsc: '1' } })).text();

  const leaks = page.getByRole('table', { name: 'Secrets in payloads' });
  await expect(async () => {
    await page.goto('/guard?app=leaky');
    await expect(leaks.getByRole('row')).toHaveCount(3, { timeout: 500 });
    await expect(leaks.getByRole('row', { name: 'a secret key of Stripe' })).toContainText('/pay2', { timeout: 500 });
  }).toPass();
  await expect(leaks.getByRole('row', { name: 'a secret key of Stripe' })).toContainText('user.apiKey of <Pay>');
  await expect(leaks.getByRole('row', { name: 'the value of SESSION_SECRET' })).toContainText(
    'config.session of <Pay>',
  );
  const html = await page.content();
  expect(html).not.toContain(key);
  expect(html).not.toContain(ofApp);
  await leaks.getByRole('row', { name: 'Stripe' }).getByRole('link').click();
  await expect(page.getByText('There is a secret key of Stripe in user.apiKey of <Pay>.').first()).toBeVisible();
  app.close();
});

test('answers that caches mix up are listed with the setting that mends it', async ({ page }) => {
  const app = createServer((incoming, outgoing) => {
    const isPayload = incoming.headers['rsc'] === '1';
    const sharable = { 'cache-control': 's-maxage=60', vary: 'accept-encoding', 'set-cookie': 'sid=kf93-jd02' };
    outgoing.writeHead(200, { 'content-type': isPayload ? 'text/x-component' : 'text/html', ...sharable });
    const rows = '0:{"b":"one","f":[[["",{"children":["cart",{}]}]]],"S":false}\n';
    outgoing.end(isPayload ? rows : `<script>self.__next_f.push([1,${JSON.stringify(rows)}])</script>`);
  });
  const [appPort, port] = [await findFreePort(), await findFreePort()];
  await once(app.listen(appPort, '127.0.0.1'), 'listening');
  const front = ['--to', `http://127.0.0.1:${appPort}`, '--port', String(port), '--app', 'cached'];
  await using proxy = startCommand(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...front], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'] },
  });
  await proxy.waitFor(/What is kept/);
  for (const headers of [{ accept: 'text/html' }, { rsc: '1', 'next-router-state-tree': '%5B%22%22%5D' }]) {
    await (await fetch(`http://127.0.0.1:${port}/cart`, { headers })).text();
  }

  const caches = page.getByRole('table', { name: 'Answers in caches' });
  const mixed = caches.getByRole('row', { name: 'Vary does not name rsc, next-router-state-tree' });
  await expect(async () => {
    await page.goto('/guard?app=cached');
    await expect(mixed).toContainText('Let the CDN keep _rsc and Vary in its key', { timeout: 500 });
  }).toPass();
  await expect(caches.getByRole('row', { name: 'sets a cookie' }).first()).toContainText('cache-control: private');
  expect(await page.content()).not.toContain('kf93-jd02');
  const told = await (await page.request.get('/api/v1/leaks?app=cached')).json();
  expect(told).toMatchObject({ caches: expect.arrayContaining([expect.objectContaining({ rule: 'cache-mixes' })]) });
  await mixed.getByRole('link').click();
  await expect(page.getByText('vary: accept-encoding')).toBeAttached();
  await expect(page.getByText('set-cookie: (not kept)')).toBeAttached();
  app.close();
});

test('a tab that asks for the same again and again is named, with what a month of it would be', async ({ page }) => {
  const app = createServer((incoming, outgoing) => {
    const isPayload = incoming.headers['rsc'] === '1';
    outgoing.writeHead(200, { 'content-type': isPayload ? 'text/x-component' : 'text/html' });
    const rows = '0:{"b":"one","f":[[["",{"children":["search",{}]}]]],"S":false}\n';
    outgoing.end(isPayload ? rows : `<script>self.__next_f.push([1,${JSON.stringify(rows)}])</script>`);
  });
  const [appPort, port] = [await findFreePort(), await findFreePort()];
  await once(app.listen(appPort, '127.0.0.1'), 'listening');
  const front = ['--to', `http://127.0.0.1:${appPort}`, '--port', String(port), '--app', 'stormy'];
  await using proxy = startCommand(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...front], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'] },
  });
  await proxy.waitFor(/What is kept/);
  const origin = `http://127.0.0.1:${port}`;
  await (await fetch(`${origin}/products`, { headers: { accept: 'text/html', 'sec-fetch-dest': 'document' } })).text();
  const headers = { rsc: '1', 'next-router-prefetch': '1', 'next-url': '/products', referer: `${origin}/products` };
  for (let asked = 0; asked < 320; asked += 1) await (await fetch(`${origin}/search?_rsc=1a`, { headers })).text();

  const storms = page.getByRole('table', { name: 'Storms' });
  const storm = storms.getByRole('row', { name: 'One tab' });
  await expect(async () => {
    await page.goto('/guard?app=stormy');
    await expect(storm).toContainText('/search', { timeout: 500 });
    await expect(storm).toContainText('320', { timeout: 500 });
  }).toPass();
  await expect(storm).toContainText(
    'On the page /products. Links without prefetching would have saved 320 requests of it',
  );
  const told = await (await page.request.get('/api/v1/storms?app=stormy')).json();
  expect(told).toMatchObject({ storms: [{ page: '/products', prefetches: 320, month: { price: null } }] });
  app.close();
});
