import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import type { APIRequestContext, Page } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

/** Requests a page, and finds the address of its flight. */
async function record(page: Page, request: APIRequestContext, path: string): Promise<string> {
  const { pathname } = new URL(path, 'http://app');
  await request.get(path, { headers: { accept: 'text/html' } });
  const mark = Array.from(new URL(path, 'http://app').searchParams.keys()).at(-1) ?? pathname;
  const link = page.getByRole('table', { name: 'Flights' }).getByRole('link', { name: mark }).first();
  await expect(async () => {
    await page.goto(`/flights?own=1&kind=document&route=${encodeURIComponent(pathname)}`);
    await expect(link).toBeVisible({ timeout: 1_000 });
  }).toPass();
  return (await link.getAttribute('href')) ?? '';
}

function markPath(): string {
  return `/lab/slow?ms=0&mark-${randomUUID().slice(0, 8)}=1`;
}

const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

test('the tabs of a flight are on the first screen, with its errors above them', async ({ page, request }) => {
  for (const path of [markPath(), '/lab/throw-after-shell', '/lab/prefetch/2']) {
    const address = await record(page, request, path);
    for (const screen of screens) {
      await page.setViewportSize(screen);
      await openHydrated(page, address);
      const tabs = page.getByRole('tablist', { name: 'Views of the flight' });
      await expect(tabs).toBeInViewport({ ratio: 1 });
      const { y, height } = (await tabs.boundingBox()) ?? { y: Infinity, height: 0 };
      // Half of the screen is left for the picture.
      expect(y + height, `${path} at ${screen.width}`).toBeLessThanOrEqual(screen.height / 2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(screen.width);
    }
  }
});

test('the strip says what the flight is, without JavaScript too, and a sentence says what needs it', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  const address = await record(page, request, '/lab/throw-after-shell');
  const plain = await openWithoutJavaScript(browser, baseURL);
  await plain.goto(address);
  const strip = plain.locator('.flight-strip');
  await expect(strip).toContainText('document');
  await expect(strip.getByRole('heading', { level: 1 })).toHaveText('GET /lab/throw-after-shell');
  await expect(strip).toContainText(/200.*first byte.*Flight [\d.]+ kB.*response.*transferred/);
  await expect(plain.getByRole('region', { name: 'Errors' })).toContainText(/Error [0-9A-Z]{5}-[0-9A-Z]{5}, in row/);
  // Playwright finds no text in it.
  await expect(plain.locator('noscript p').first()).toContainText('need JavaScript');
  const details = plain.getByRole('region', { name: 'Response' });
  await expect(details).toBeHidden();
  await plain.locator('summary', { hasText: /^Details/ }).click();
  await expect(details).toContainText('Request id');
  await plain.context().close();
});

test('the payload is fetched once, as it is kept', { tag: '@daily' }, async ({ page, request }) => {
  const address = await record(page, request, markPath());
  const fetched: string[] = [];
  page.on('request', (sent) => {
    if (new URL(sent.url()).pathname.startsWith(address)) fetched.push(new URL(sent.url()).pathname);
  });
  await openHydrated(page, address);
  await expect(page.locator('.flight-totals')).toBeVisible();
  await page.getByRole('tab', { name: 'Rows' }).click();
  await expect(page.getByRole('listbox', { name: 'Rows', exact: true })).toBeVisible();
  expect(fetched).toEqual([address, `${address}/payload`]);
});

/** Texts of the viewer and of the decoder that their built files hold. */
const viewerTexts = ['Views of the flight', 'the root row never came'];

async function readScripts(page: Page, address: string): Promise<Map<string, Buffer>> {
  const bodies: Promise<[string, Buffer]>[] = [];
  const keep = (response: Awaited<ReturnType<Page['waitForResponse']>>) => {
    if (response.request().resourceType() !== 'script') return;
    bodies.push(response.body().then((body) => [new URL(response.url()).pathname, body]));
  };
  page.on('response', keep);
  await openHydrated(page, address);
  await page.waitForLoadState('networkidle');
  page.off('response', keep);
  return new Map(await Promise.all(bodies));
}

test('the viewer’s code is on its pages alone, and its first picture needs at most 60 kB of it', async ({
  page,
  request,
}) => {
  const address = await record(page, request, markPath());
  // The other panels are fetched when the browser is idle: here it never is.
  await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }));
  const others = new Set<string>();
  for (const other of [
    '/lab',
    '/lab/prefetch',
    '/',
    '/flights',
    '/flights/prefetches',
    '/digest?code=neither',
    '/runtime',
  ]) {
    for (const [name, body] of await readScripts(page, other)) {
      others.add(name);
      for (const text of viewerTexts) expect(body.includes(text), `${other} loads ${name}`).toBe(false);
    }
  }
  const scripts = await readScripts(page, address);
  await expect(page.locator('.flight-totals')).toBeVisible();
  await expect(page.getByRole('heading', { name: /stands out|Nothing to act on/ })).toBeVisible();
  const own = [...scripts].filter(([name]) => !others.has(name));
  for (const text of viewerTexts) {
    const hasText = own.some(([, body]) => body.includes(text));
    expect(hasText, text).toBe(true);
  }
  const size = own.reduce((sum, [, body]) => sum + gzipSync(body).byteLength, 0);
  expect(size).toBeLessThanOrEqual(60_000);
  const loading = page.waitForResponse(/\/tree-panel-[\w-]+\.js$/);
  await page.getByRole('tab', { name: 'Tree' }).hover();
  await loading;
});

test('"/" leads to the search from any panel, while its file is still on its way', async ({ page, request }) => {
  const address = await record(page, request, markPath());
  await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }));
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/rows-panel-[\w-]+\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await openHydrated(page, address);
  await expect(page.locator('.flight-totals')).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Loading Rows …')).toBeVisible();
  release();
  await expect(page.getByRole('searchbox')).toBeFocused();
});
