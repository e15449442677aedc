import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright/test';

import { openFlights } from '#flight';

import { writeDecodeFolder } from '../scripts/write-decode-folder.mjs';

import { openDetails } from './testing/open-details.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

const fixtures = path.join(import.meta.dirname, '../packages/flight/fixtures');
const shop = path.join(fixtures, 'next-16.4.6-development/shop.rsc');
const values = path.join(fixtures, 'react-19.3.1-production/values.flight');

/** What a saved file may have besides its payload. */
const maxViewerBytes = 450_000;

const panels = ['Overview', 'Waterfall', 'Tree', 'Bytes', 'Rows', 'Modules', 'Findings'] as const;

async function saveTo(download: Download, name: string): Promise<string> {
  const file = test.info().outputPath(name);
  await download.saveAs(file);
  return file;
}

async function saveByButton(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as one file' }).click(),
  ]);
  return saveTo(download, name);
}

/** Opens a file of the disk as a stranger does: no server, no session. Gives what it asks for, and what it complains of. */
async function openFromDisk(browser: Browser, file: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] }, ...options });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  return { page, asked, complaints };
}

async function decode(page: Page, ...files: readonly string[]): Promise<void> {
  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles([...files]);
}

test(
  'a decoded file is saved, and opens from the disk without a request',
  { tag: '@daily' },
  async ({ page, browser }) => {
    await decode(page, shop);
    await expect(page.getByRole('heading', { name: 'Complete' })).toBeVisible();
    const file = await saveByButton(page, 'shop.html');
    const html = readFileSync(file);
    expect(html.length).toBeLessThan(maxViewerBytes + (gzipSync(readFileSync(shop)).length * 4) / 3);
    expect(html.toString()).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/,
    );

    const saved = await openFromDisk(browser, file, { colorScheme: 'dark', viewport: { width: 390, height: 800 } });
    await expect(saved.page.getByRole('heading', { level: 1, name: 'shop.rsc' })).toBeVisible();
    for (const name of panels) {
      await saved.page.getByRole('tab', { name }).click();
      await expect(saved.page.getByRole('tabpanel', { name })).toHaveAttribute('aria-busy', 'false');
      await expect(saved.page.getByRole('tabpanel', { name })).not.toBeEmpty();
      const width = await saved.page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `the width of ${name}`).toBeLessThanOrEqual(390);
    }
    await saved.page.getByRole('tab', { name: 'Findings' }).press('Home');
    await expect(saved.page.getByRole('tab', { name: 'Overview' })).toBeFocused();
    expect(await saved.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(18, 19, 17)');
    const { violations } = await new AxeBuilder({ page: saved.page }).analyze();
    expect(violations).toEqual([]);
    expect(saved.asked).toEqual([pathToFileURL(file).href]);
    expect(saved.complaints).toEqual([]);
  },
);

test('a saved file asks nobody, whatever is in it', async ({ page, browser }) => {
  await decode(page, values);
  const file = await saveByButton(page, 'values.html');
  const saved = await openFromDisk(browser, file);
  await expect(saved.page.getByRole('tab', { name: 'Overview' })).toBeVisible();
  const outcome = await saved.page.evaluate(async () => {
    const image = new Image();
    const failed = new Promise((resolve) => image.addEventListener('error', () => resolve('blocked')));
    image.src = 'https://stranger.example/pixel.png';
    const fetched = fetch('https://stranger.example/').then(
      () => 'sent',
      () => 'blocked',
    );
    return [await failed, await fetched];
  });
  expect(outcome).toEqual(['blocked', 'blocked']);
  expect(saved.complaints.filter((text) => text.includes('Content Security Policy'))).not.toEqual([]);
});

test('two decoded flights are saved with what is different between them', async ({ page, browser }) => {
  const one = test.info().outputPath('old.flight');
  const other = test.info().outputPath('new.flight');
  writeFileSync(one, '0:["$","ul",null,{"children":[["$","li","a",{"children":"first"}]]}]\n');
  writeFileSync(other, '0:["$","ul",null,{"children":[["$","li","a",{"children":"second"}]]}]\n');
  await decode(page, one, other);
  await page.getByRole('checkbox', { name: 'Compare old.flight' }).check();
  await page.getByRole('checkbox', { name: 'Compare new.flight' }).check();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await expect(page.getByRole('heading', { name: 'What is different' })).toBeVisible();
  const saved = await openFromDisk(browser, await saveByButton(page, 'compared.html'));
  await expect(saved.page.getByText('1 changed')).toBeVisible();
  await saved.page.getByRole('link', { name: 'new.flight' }).click();
  await expect(saved.page.getByRole('tab', { name: 'Overview' })).toBeVisible();
  await saved.page.getByRole('tab', { name: 'Rows' }).click();
  await expect(saved.page).toHaveURL(/#show=2&tab=rows$/);
  await saved.page.reload();
  await expect(saved.page.getByRole('heading', { level: 2, name: 'new.flight' })).toBeVisible();
  await saved.page.getByRole('link', { name: 'All that is in this file' }).click();
  await expect(saved.page.getByRole('heading', { name: 'Comparisons' })).toBeVisible();
  expect(saved.complaints).toEqual([]);
  expect(saved.asked.filter((address) => !address.startsWith('file:'))).toEqual([]);
});

test('a saved file is opened again on the page', async ({ page }) => {
  await decode(page, values);
  const file = await saveByButton(page, 'values.html');
  await decode(page, file);
  await expect(page.getByRole('heading', { level: 2, name: 'values.flight' })).toBeVisible();
});

test(
  'a recorded flight is saved by a link, without JavaScript',
  { tag: '@daily' },
  async ({ page, browser, baseURL }) => {
    await page.goto('/lab/promise-prop');
    const plain = await openWithoutJavaScript(browser, baseURL);
    await expect(async () => {
      await plain.goto('/lab/about/promise-prop');
      await expect(plain.getByRole('link', { name: 'Save as one file' })).toBeVisible({ timeout: 1_000 });
    }).toPass();
    const [experiment] = await Promise.all([
      plain.waitForEvent('download'),
      plain.getByRole('link', { name: 'Save as one file' }).click(),
    ]);
    const saved = await openFromDisk(browser, await saveTo(experiment, 'experiment.html'));
    await expect(saved.page.getByRole('heading', { level: 1 })).toContainText('Experiment: ');
    await saved.page.getByText('Source of src/lab/promise-prop.tsx').click();
    await expect(saved.page.getByText('Look for:')).toBeVisible();
    await saved.page.getByRole('tab', { name: 'Waterfall' }).click();
    await expect(saved.page.getByRole('tabpanel')).toContainText('ms');
    await saved.page.locator('summary', { hasText: 'Saved' }).click();
    await expect(saved.page.getByText('Recorded', { exact: true })).toBeVisible();
    expect(saved.complaints).toEqual([]);

    await plain
      .getByRole('link', { name: /^GET \/lab\/promise-prop/ })
      .first()
      .click();
    await openDetails(plain);
    const [flight] = await Promise.all([
      plain.waitForEvent('download'),
      plain.getByRole('link', { name: 'Save as one file' }).click(),
    ]);
    const opened = await openFlights(readFileSync(await saveTo(flight, 'flight.html')));
    if (opened.kind !== 'flights') throw new Error(opened.reason);
    expect(opened.flights.map(({ direction, origin }) => [direction, origin.kind])).toEqual([['response', 'saved']]);
    const [found] = opened.flights;
    expect(found?.direction === 'response' && found.chunks.length).toBeGreaterThan(0);
  },
);

test('two recorded flights are saved with their comparison; what is none is said', async ({
  page,
  browser,
  request,
}) => {
  await page.goto('/lab/props');
  await page.goto('/lab/props');
  await expect(async () => {
    await page.goto('/flights?own=1&route=%2Flab%2Fprops');
    await expect(page.getByRole('link', { name: 'GET /lab/props' }).nth(1)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const names = page.getByRole('link', { name: 'GET /lab/props' });
  const ids = await names.evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)));
  await page.goto(`/flights/${ids[0]}/diff/${ids[1]}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save as one file' }).click(),
  ]);
  const saved = await openFromDisk(browser, await saveTo(download, 'recorded.html'));
  await expect(saved.page.getByRole('heading', { name: 'What is different' })).toBeVisible();
  const answer = await request.get(`/flights/${ids[0]}/one-file`);
  expect(answer.headers()['content-disposition']).toBe(`attachment; filename="flight-${ids[0]}.html"`);
  for (const address of ['/flights/999999999/one-file', `/flights/${ids[0]}/one-file?with=x`]) {
    expect((await request.get(address)).status()).toBe(404);
  }
  expect((await request.get(`/lab/about/slow/one-file?flight=${ids[0]}`)).status()).toBe(404);
});

test('a comparison of the command opens route by route', async ({ browser }) => {
  const save = (side: string, items: number) => {
    const folder = test.info().outputPath(side);
    mkdirSync(folder);
    const list = Array.from({ length: items }, (_, id) => ({ id, name: `product ${id}` }));
    writeFileSync(
      path.join(folder, 'shop.rsc'),
      `1:I["7",[],"ProductList"]\n0:["$","main",null,{"children":["$","$L1",null,{"products":${JSON.stringify(list)}}]}]\n`,
    );
    writeFileSync(path.join(folder, 'about.rsc'), '0:["$","p",null,{"children":"about"}]\n');
    return folder;
  };
  const file = test.info().outputPath('payloads.html');
  const command = path.join(import.meta.dirname, '../dist/command.js');
  execFileSync(process.execPath, [command, 'compare', '--html', file, save('base', 3), save('head', 40)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const saved = await openFromDisk(browser, file, { viewport: { width: 390, height: 800 } });
  await expect(saved.page.getByText(/^<ProductList> \+.*: products grew by 37 items$/)).toBeVisible();
  await expect(saved.page.getByText('no change')).toBeVisible();
  expect(await saved.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await saved.page.getByRole('region', { name: 'Comparisons' }).getByRole('link', { name: 'shop.rsc' }).click();
  await expect(saved.page.getByRole('heading', { name: 'What accounts for it' })).toBeVisible();
  await saved.page.getByRole('link', { name: 'payload' }).last().click();
  await expect(saved.page.getByRole('tab', { name: 'Overview' })).toBeVisible();
  await saved.page.goBack();
  await expect(saved.page.getByRole('heading', { name: 'What accounts for it' })).toBeVisible();
  expect(saved.complaints).toEqual([]);
  expect(saved.asked).toEqual([pathToFileURL(file).href]);
});

/** The folder on a server that knows nothing but files. */
async function serveFolder(folder: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== '/tools/decode/') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(path.join(folder, 'index.html')));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { origin: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

for (const place of ['the disk', 'a static host'] as const) {
  test(`the decoder is a folder that works from ${place}`, async ({ browser }) => {
    const folder = test.info().outputPath('decode');
    writeDecodeFolder(folder);
    const host = await serveFolder(folder);
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    const first =
      place === 'the disk' ? pathToFileURL(path.join(folder, 'index.html')).href : `${host.origin}/tools/decode/`;
    await page.goto(first);
    host.close();
    await page.getByLabel('A file to decode').setInputFiles([shop, values]);
    await page.getByRole('link', { name: 'shop.rsc' }).click();
    await expect(page).toHaveURL(/[?]file=\w+$/);
    await page.getByRole('tab', { name: 'Waterfall' }).click();
    await expect(page.getByText('came without times')).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as one file' }).click(),
    ]);
    const saved = await openFromDisk(browser, await saveTo(download, `${place}.html`));
    await expect(saved.page.getByRole('heading', { level: 1, name: 'shop.rsc' })).toBeVisible();
    expect(saved.complaints).toEqual([]);
    await page.goBack();
    await page.getByRole('checkbox', { name: 'Compare shop.rsc' }).check();
    await page.getByRole('checkbox', { name: 'Compare values.flight' }).check();
    await page.getByRole('link', { name: 'Compare the two' }).click();
    await expect(page.getByRole('heading', { name: 'What is different' })).toBeVisible();
    await page.getByRole('link', { name: 'Swap before and after' }).click();
    await expect(page.getByText(/^Before: values.flight/)).toBeVisible();
    expect(asked.filter((address) => !address.startsWith('blob:'))).toEqual([first]);
    expect(complaints).toEqual([]);
  });
}
