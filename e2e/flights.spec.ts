import { randomUUID } from 'node:crypto';

import type { Page } from 'playwright/test';

import { readFlightFile } from '#flight';
import { openDetails } from './testing/open-details.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';
import { waitUntilRead } from './testing/wait-until-read.ts';

/** With what this server itself sent: the journeys about apps add others to the same recording. */
const listPath = '/flights?own=1&route=%2Flab%2Fslow';

/** A path whose flight differs from all others: the names of query parameters are recorded. */
function markPath(): { path: string; mark: string } {
  const mark = `mark-${randomUUID().slice(0, 8)}`;
  return { path: `/lab/slow?ms=0&${mark}=1`, mark };
}

/** Opens the page of the flight with this mark, when the flight has been written. */
async function openFlight(page: Page, mark: string): Promise<void> {
  await expect(async () => {
    await page.goto(listPath);
    await page.getByRole('link', { name: mark }).first().click({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(mark);
}

test('a response is listed, and its page shows the payload', { tag: '@daily' }, async ({ page }) => {
  const { path, mark } = markPath();
  await page.goto(path);
  await openFlight(page, mark);
  await waitUntilHydrated(page);
  await openDetails(page);
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('/lab/slow');
  await page.getByRole('tab', { name: 'Rows' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('NavLink');
});

test('new flights appear by themselves, and wait while somebody types', async ({ page, request }) => {
  await openHydrated(page, listPath);
  await page.evaluate(() => Reflect.set(window, 'isSameDocument', true));
  const [first, second] = [markPath(), markPath()];
  await request.get(first.path, { headers: { accept: 'text/html' } });
  await expect(page.getByRole('link', { name: first.mark })).toBeVisible();
  await page.getByRole('textbox', { name: 'Digest' }).focus();
  await request.get(second.path, { headers: { accept: 'text/html' } });
  const arrived = page.getByRole('button', { name: /new flights?/ });
  await expect(arrived).toBeVisible();
  await expect(page.getByRole('link', { name: second.mark })).toHaveCount(0);
  await arrived.click();
  await expect(page.getByRole('link', { name: second.mark })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, 'isSameDocument'))).toBe(true);
});

test('a row that arrives is lit in the colour of the scheme that is on', async ({ page, request }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  const earlier = markPath();
  await request.get(earlier.path, { headers: { accept: 'text/html' } });
  await openHydrated(page, listPath);
  await expect(page.getByRole('link', { name: earlier.mark })).toBeVisible();
  await openHydrated(page, listPath);
  const lit = await page.evaluate(() => {
    // A flight of another test may have come meanwhile.
    if (document.querySelector('[data-arrived]')) return 0;
    return document.getAnimations().filter((one) => 'animationName' in one).length;
  });
  expect(lit, 'rows that the page came with').toBe(0);
  await page.addStyleTag({ content: '.live-list tr { animation-play-state: paused !important; }' });
  const { path, mark } = markPath();
  await request.get(path, { headers: { accept: 'text/html' } });
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: mark }) });
  await expect(row).toHaveCSS('background-color', 'rgb(255, 240, 223)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(row).toHaveCSS('background-color', 'rgb(58, 38, 19)');
});

test('hits of a prerendered page that come all at once are one line, which says so', async ({ page, request }) => {
  await expect(async () => {
    const hits = Array.from({ length: 100 }, () =>
      request.get('/lab/prefetch/3', { headers: { accept: 'text/html' } }),
    );
    for (const response of await Promise.all(hits)) expect(response.status()).toBe(200);
    await page.goto('/flights?own=1&kind=document&route=%2Flab%2Fprefetch%2F3');
    const counted = page.getByRole('row').filter({ hasText: /\d hits/ });
    await counted.first().getByRole('link').first().click({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole('note')).toContainText(/hits between .*the first of them/);
  await openDetails(page);
  await expect(page.getByRole('region', { name: 'Visit' })).toContainText('too many to be recorded one by one');
  const exported = readFlightFile(await (await request.get(`${page.url()}/export`)).text());
  expect(exported.kind === 'flight-file' && exported.file.facts.hits).toBeGreaterThan(1);
});

test('filters are a plain form, and the address is the filter', async ({ browser, baseURL, request }) => {
  const { path, mark } = markPath();
  await request.get(path, { headers: { accept: 'text/html' } });
  await request.get('/lab/throw-before-shell', { headers: { accept: 'text/html' } });
  const page = await openWithoutJavaScript(browser, baseURL);
  await expect(async () => {
    await page.goto('/flights?own=1');
    await page.getByRole('checkbox', { name: 'document' }).check();
    await page.getByRole('combobox', { name: 'Route' }).fill('/lab/slow');
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(page).toHaveURL(/kind=document&route=%2Flab%2Fslow/);
    await expect(page.getByRole('link', { name: mark })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const table = page.getByRole('table', { name: 'Flights' });
  await expect(table.getByRole('link', { name: '/lab/throw-before-shell' })).toHaveCount(0);
  await page.goto('/flights?own=1&status=failed');
  await expect(table.getByRole('link', { name: '/lab/throw-before-shell' }).first()).toBeVisible();
  await expect(table.getByRole('link', { name: mark })).toHaveCount(0);
  await page.goto('/flights?digest=unknown');
  await expect(page.getByText('This cannot be a digest')).toBeVisible();
  await page.context().close();
});

test('without JavaScript a flight’s rows are a table', { tag: '@daily' }, async ({ browser, baseURL, request }) => {
  const { path, mark } = markPath();
  await request.get(path, { headers: { accept: 'text/html' } });
  const page = await openWithoutJavaScript(browser, baseURL);
  await openFlight(page, mark);
  await expect(page.getByRole('table', { name: 'Rows' }).getByRole('row').nth(1)).toContainText('module');
  await page.context().close();
});

test(
  'a digest leads to the row that carries it, and back',
  { tag: '@daily' },
  async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/Server Components render|Minified React error/);
    await page.goto('/lab/throw-after-shell');
    const code = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec((await page.getByRole('alert').textContent()) ?? '')?.[0] ?? '';
    await expect(async () => {
      await page.goto(`/digest/${code}`);
      await page.getByRole('link', { name: 'See the flight, at the row that carries it' }).click({ timeout: 1_000 });
    }).toPass();
    await expect(page).toHaveURL(/\/flights\/\d+#row=[0-9a-f]+/);
    await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tabpanel')).toContainText(code.replace('-', ''));
    await expect(page.locator('[role=option][aria-selected=true]')).toBeInViewport();
    await page.getByRole('region', { name: 'Errors' }).getByRole('link', { name: code }).click();
    await expect(page).toHaveURL(`/digest/${code}`);
  },
);

test('a visit shows which prefetches were used, and one click from the list which were wasted, and by which page', async ({
  page,
}) => {
  const { path, mark } = markPath();
  await openHydrated(page, '/lab/prefetch');
  await waitUntilRead(page, '/prefetch/2.txt');
  await waitUntilRead(page, '/prefetch/1.txt');
  await page.getByRole('link', { name: 'Page 2', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Page 2' })).toBeVisible();
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  const timeline = page.getByRole('list', { name: 'Flights of this visit' });
  await expect(async () => {
    await openFlight(page, mark);
    await openDetails(page);
    await page.getByRole('link', { name: /^All \d+ flights/ }).click({ timeout: 1_000 });
    await expect(timeline.getByRole('listitem').filter({ hasText: '/lab/prefetch/2' }).first()).toContainText('used', {
      timeout: 1_000,
    });
  }).toPass();
  await expect(timeline.getByRole('listitem').filter({ hasText: '/lab/prefetch/1' }).first()).toContainText('unused');

  await page.goto('/flights?own=1');
  await page.getByRole('link', { name: 'Prefetches', exact: true }).click();
  const routes = page.getByRole('table', { name: 'Prefetches by route' });
  await expect(routes.getByRole('link', { name: '/lab/prefetch/[number]', exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'By link' }).click();
  const ledger = page.getByRole('table', { name: 'Prefetches by link' });
  const wasted = ledger
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: '/lab/prefetch/1', exact: true }) });
  await expect(wasted.getByRole('img', { name: /[1-9]\d* unused/ })).toBeVisible();
  await expect(wasted).toContainText('from /lab/prefetch, when the link came into view');
  await page.getByRole('link', { name: 'By page that prefetched' }).click();
  const pages = page.getByRole('table', { name: 'Prefetches by page' });
  const from = pages.getByRole('row').filter({ has: page.getByRole('link', { name: '/lab/prefetch', exact: true }) });
  await expect(from.getByRole('img', { name: /[1-9]\d* used, [1-9]\d* unused/ })).toBeVisible();
  await from.getByText(/and \d+ other/).click();
  await expect(from).toContainText(/\/lab\/prefetch\/1, when the link came into view: \S+ k?B wasted/);
});

test('two flights of a route are compared, and each difference leads to its bytes', async ({ page }) => {
  const [first, second] = [markPath(), markPath()];
  await page.goto(first.path);
  await page.goto(second.path);
  await openFlight(page, second.mark);
  const { pathname } = new URL(page.url());
  await page.getByRole('link', { name: /since the route’s last response$/ }).click();
  await expect(page).toHaveURL(new RegExp(`${pathname}/diff/\\d+$`));
  const region = page.getByRole('region', { name: 'What is different' });
  await expect(region).toContainText(second.mark);
  await region.getByRole('listitem').filter({ hasText: second.mark }).first().getByRole('link').last().click();
  await expect(page).toHaveURL(new RegExp(`${pathname}#row=[0-9a-f]+`));
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
});

test('any two flights are compared by their numbers, without JavaScript, the older one as before', async ({
  browser,
  baseURL,
  request,
}) => {
  const [first, second] = [markPath(), markPath()];
  await request.get(first.path, { headers: { accept: 'text/html' } });
  await request.get(second.path, { headers: { accept: 'text/html' } });
  const page = await openWithoutJavaScript(browser, baseURL);
  await openFlight(page, first.mark);
  const older = /\d+$/.exec(page.url())?.[0];
  await openFlight(page, second.mark);
  const newer = /\d+$/.exec(page.url())?.[0];
  await page.goto('/flights/diff');
  await page.getByRole('textbox', { name: 'One flight' }).fill(String(newer));
  await page.getByRole('textbox', { name: 'Another' }).fill(String(older));
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page).toHaveURL(`/flights/${newer}/diff/${older}`);
  await expect(page.getByRole('region', { name: 'What is different' })).toContainText(second.mark);
  await expect(page.getByText('the same size')).toBeVisible();
  await page.getByRole('link', { name: 'Swap before and after' }).click();
  await expect(page).toHaveURL(`/flights/${older}/diff/${newer}`);
  await page.goto(`/flights/diff?flight=${newer}`);
  await expect(page.getByText('A comparison takes two flights. One is chosen.')).toBeVisible();
  await page.goto(`/flights/diff?flight=${newer}&flight=${older}&flight=1`);
  await expect(page.getByText('3 are chosen.')).toBeVisible();
  await page.goto(`/flights/diff?flight=${newer}&flight=x`);
  await expect(page.getByText('One of them is no number of a flight.')).toBeVisible();
  const missing = await request.get(`/flights/diff?flight=${newer}&flight=999999999`, {
    headers: { accept: 'text/html' },
  });
  expect(missing.status()).toBe(404);
  await page.context().close();
});

test('earlier responses of a route say whether they are the same, or by how much they differ', async ({
  page,
  request,
}) => {
  for (const _ of [1, 2]) await request.get('/lab/prefetch/9', { headers: { accept: 'text/html' } });
  await expect(async () => {
    await page.goto('/flights?own=1&kind=document&route=%2Flab%2Fprefetch%2F9');
    const flights = page.getByRole('table', { name: 'Flights' }).getByRole('row');
    expect(await flights.count()).toBeGreaterThan(2);
  }).toPass();
  await page.getByRole('table', { name: 'Flights' }).getByRole('link', { name: '/lab/prefetch/9' }).first().click();
  await openDetails(page);
  const region = page.getByRole('region', { name: 'Compare with an earlier one' });
  await expect(region.getByRole('strong').first()).toHaveText('same');
  await region
    .getByRole('link', { name: /^flight \d+$/ })
    .first()
    .click();
  await expect(page.getByText('The two payloads have the same content.')).toBeVisible();

  const [first, second] = [markPath(), markPath()];
  await request.get(first.path, { headers: { accept: 'text/html' } });
  await request.get(`${second.path}&longer-than-the-first`, { headers: { accept: 'text/html' } });
  await openFlight(page, second.mark);
  await openDetails(page);
  await expect(region.getByRole('strong').first()).toHaveText(/^(?:[+−]\d|changed, same size)/);
});

test('an exported flight is the recorded one', async ({ page, request }) => {
  const { path, mark } = markPath();
  const answered = await request.get(path, { headers: { accept: 'text/html' } });
  await openFlight(page, mark);
  const download = page.waitForEvent('download');
  await openDetails(page);
  await page.getByRole('link', { name: 'Export as a file' }).click();
  expect((await download).suggestedFilename()).toMatch(/^flight-\d+\.json$/);
  const { pathname } = new URL(page.url());
  const read = readFlightFile(await (await request.get(`${pathname}/export`)).text());
  if (read.kind !== 'flight-file') throw new Error(read.reason);
  expect(read.file.facts.requestId).toBe(answered.headers()['x-request-id']);
  expect(read.file.facts.query).toEqual(['ms', mark]);
  const payload = await (await request.get(`${pathname}/payload`)).body();
  expect(Buffer.compare(payload, read.file.body)).toBe(0);
  expect(payload.length).toBeGreaterThan(100);
  expect((await request.get('/flights/999999999/export')).status()).toBe(404);
});

for (const isScripted of [true, false]) {
  test(`a flight is deleted ${isScripted ? 'with' : 'without'} JavaScript`, async ({
    page,
    browser,
    baseURL,
    request,
  }) => {
    const { path, mark } = markPath();
    await request.get(path, { headers: { accept: 'text/html' } });
    const own = isScripted ? page : await openWithoutJavaScript(browser, baseURL);
    await openFlight(own, mark);
    if (isScripted) await waitUntilHydrated(own);
    const { pathname } = new URL(own.url());
    await openDetails(own);
    await own.getByText('Delete', { exact: true }).click();
    await own.getByRole('button', { name: 'Delete this flight' }).click();
    await expect(own).toHaveURL('/flights');
    expect((await request.get(`${pathname}/payload`)).status()).toBe(404);
    expect((await request.get(pathname, { headers: { accept: 'text/html' } })).status()).toBe(404);
    if (!isScripted) await own.context().close();
  });
}

test(
  'a stranger gets neither the list nor its stream, payloads or files',
  { tag: '@daily' },
  async ({ playwright, baseURL }) => {
    const stranger = await playwright.request.newContext({
      storageState: { cookies: [], origins: [] },
      ...(baseURL ? { baseURL } : {}),
    });
    for (const path of ['/flights/events', '/flights/1/payload', '/flights/1/export', '/RSC/R/flights.txt']) {
      expect((await stranger.get(path)).status(), path).toBe(401);
    }
    const list = await stranger.get('/flights', { headers: { accept: 'text/html' }, maxRedirects: 0 });
    expect(list.status()).toBe(303);
    await stranger.dispose();
  },
);

for (const hasJavaScript of [true, false]) {
  test.describe(`with JavaScript: ${hasJavaScript}`, () => {
    test.use({ javaScriptEnabled: hasJavaScript });

    test('prefetches are listed since a time, and a list of flights leaves them out', async ({ page }) => {
      await page.goto('/flights/prefetches?own=1');
      const filter = page.getByRole('form', { name: 'Filter' });
      await filter.getByLabel('Since (UTC)').fill('2099-01-01T00:00:00');
      await filter.getByRole('button', { name: 'Filter' }).click();
      await expect(page).toHaveURL(/since=2099-01-01T00%3A00/);
      await expect(page.getByText('No prefetch is kept since 2099-01-01 00:00:00 UTC')).toBeVisible();
      await page.getByRole('link', { name: 'Show all', exact: true }).click();
      await expect(page).not.toHaveURL(/since/);
      await page.getByRole('link', { name: 'From now on' }).click();
      await expect(page).toHaveURL(/own=1&since=20\d\d-/);

      await page.goto('/flights?own=1');
      await page.getByRole('link', { name: 'Hide prefetches' }).click();
      await expect(page).toHaveURL(
        /own=1&kind=document&kind=navigation&kind=navigation-or-prefetch&kind=action&kind=slice/,
      );
      await expect(page.getByRole('checkbox', { name: 'prefetch', exact: true })).not.toBeChecked();
    });
  });
}
