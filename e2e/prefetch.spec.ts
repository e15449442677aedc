import type { Page, Request, Route } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';
import { waitUntilRead } from './testing/wait-until-read.ts';

/** About ten links are in view, twice as many as may be fetched at once. */
test.use({ viewport: { width: 1280, height: 1400 } });

const pageData = /\/RSC\/R\/lab\/prefetch\/(\d+)\.txt/;

function pageNumber(request: Request): number {
  return Number(pageData.exec(request.url())?.[1]);
}

/** Holds the pages' payloads until they are released, and lists which were requested. */
async function holdPages(page: Page) {
  const held = new Map<number, Route>();
  const asked: number[] = [];
  let isHolding = true;
  await page.route(pageData, async (route) => {
    asked.push(pageNumber(route.request()));
    if (isHolding) held.set(pageNumber(route.request()), route);
    else await route.continue();
  });
  return {
    asked,
    running: () => [...held.keys()],
    async release(number: number) {
      const route = held.get(number);
      held.delete(number);
      await route?.continue();
    },
    /** Releases those that are held, and all that follow. */
    async releaseAll() {
      isHolding = false;
      for (const route of held.values()) await route.continue();
      held.clear();
    },
  };
}

async function openLinks(page: Page) {
  await openHydrated(page, '/lab/prefetch');
}

test('never runs more than five, and fills a place when a body ends', { tag: '@daily' }, async ({ page }) => {
  const pages = await holdPages(page);
  await openLinks(page);
  await expect.poll(() => pages.asked.length).toBe(5);
  expect(pages.asked, 'the topmost links go first').toEqual([1, 2, 3, 4, 5]);
  await pages.release(2);
  await expect.poll(() => pages.asked.length).toBe(6);
  expect(pages.running()).toHaveLength(5);
});

test('fetches what is pointed at before what is merely visible', async ({ page }) => {
  const pages = await holdPages(page);
  await openLinks(page);
  await expect.poll(() => pages.asked.length).toBe(5);
  await page.getByRole('link', { name: 'Page 7', exact: true }).hover();
  await page.getByRole('link', { name: 'Page 8', exact: true }).focus();
  await pages.release(1);
  await expect.poll(() => pages.asked[5]).toBe(8);
  await pages.release(2);
  await expect.poll(() => pages.asked[6]).toBe(7);
});

test('drops links that left the viewport from the queue', async ({ page }) => {
  const pages = await holdPages(page);
  await openLinks(page);
  await expect.poll(() => pages.asked.length).toBe(5);
  await page.getByRole('link', { name: 'Page 30', exact: true }).scrollIntoViewIfNeeded();
  await expect(page.getByRole('link', { name: 'Page 6', exact: true })).not.toBeInViewport();
  await pages.releaseAll();
  // Everything that is still wanted is requested now, down to the oldest.
  await expect.poll(() => pages.asked).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 28, 29, 30]));
  await page.waitForLoadState('networkidle');
  expect(pages.asked.filter((number) => number > 5 && number < 15)).toEqual([]);
});

test('a click takes over the running prefetch: one request', { tag: '@daily' }, async ({ page }) => {
  const pages = await holdPages(page);
  await openLinks(page);
  await expect.poll(() => pages.asked.length).toBe(5);
  await page.getByRole('link', { name: 'Page 2', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Page 2', exact: true })).toHaveAttribute('aria-busy', 'true');
  await pages.release(2);
  await expect(page.getByRole('heading', { name: 'Page 2' })).toBeVisible();
  expect(pages.asked.filter((number) => number === 2)).toHaveLength(1);
});

test('a click takes over the queued prefetch: one request, at once', async ({ page }) => {
  const pages = await holdPages(page);
  await openLinks(page);
  await expect.poll(() => pages.asked.length).toBe(5);
  await page.getByRole('link', { name: 'Page 7', exact: true }).click();
  await expect.poll(() => pages.asked).toEqual([1, 2, 3, 4, 5, 7]);
  await pages.release(7);
  await expect(page.getByRole('heading', { name: 'Page 7' })).toBeVisible();
  // Free places in the queue are not used for it later either.
  for (const number of [1, 2, 3, 4, 5]) await pages.release(number);
  await waitUntilRead(page, '/prefetch/5.txt');
  await page.getByRole('link', { name: 'To the end' }).click();
  expect(pages.asked.filter((number) => number === 7)).toHaveLength(1);
});

test(
  'shows a dynamic page without a request for 30 s and a static one for 300 s',
  { tag: '@daily' },
  async ({ page }) => {
    await page.clock.install();
    const asked: number[] = [];
    page.on('request', (request) => {
      if (pageData.test(request.url())) asked.push(pageNumber(request));
    });
    await openLinks(page);
    await expect.poll(() => asked).toEqual(expect.arrayContaining([1, 3, 6]));
    await page.waitForLoadState('networkidle');
    function count(number: number) {
      return asked.filter((each) => each === number).length;
    }
    /** Goes there, says how often the page has been requested by then, and comes back. */
    async function visit(number: number) {
      await page.getByRole('link', { name: `Page ${number}`, exact: true }).dispatchEvent('click');
      await expect(page.getByRole('heading', { name: `Page ${number}`, exact: true })).toBeVisible();
      const times = count(number);
      await page.goBack();
      await expect(page.getByRole('heading', { name: 'Prefetching' })).toBeVisible();
      return times;
    }

    await page.clock.fastForward(20_000);
    expect(await visit(1), 'dynamic, about 20 s old').toBe(1);
    await page.clock.fastForward(12_000);
    expect(await visit(1), 'dynamic, over 30 s old').toBe(2);
    await page.clock.fastForward(250_000);
    expect(await visit(3), 'static, about 282 s old').toBe(1);
    await page.clock.fastForward(20_000);
    expect(await visit(6), 'static, over 300 s old').toBe(2);
  },
);

test('an action that changed data makes dynamic pages old', { tag: '@daily' }, async ({ page }) => {
  await openHydrated(page, '/lab/actions');
  const home = page.getByRole('banner').getByRole('link', { name: 'Flight Recorder' });
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/RSC/R/_root.txt')) asked += 1;
  });
  async function pointAtHome() {
    await page.getByRole('heading', { level: 1 }).hover();
    await home.hover();
  }
  await pointAtHome();
  await waitUntilRead(page, '/RSC/R/_root.txt');
  await pointAtHome();
  await page.getByRole('button', { name: 'Raise by 5' }).click();
  await expect(page.getByTestId('counter').first()).toHaveText('5');
  expect(asked).toBe(1);
  await pointAtHome();
  await expect.poll(() => asked).toBe(2);
});

test('Save-Data stops prefetching what is visible, not what is pointed at', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } });
  });
  const pages = await holdPages(page);
  await openLinks(page);
  await page.getByRole('link', { name: 'Page 4', exact: true }).hover();
  await expect.poll(() => pages.asked).toEqual([4]);
});

test('a 429 stops prefetching what is visible until its Retry-After', async ({ page, expectConsoleErrors }) => {
  expectConsoleErrors(/429/);
  await page.clock.install();
  const asked: number[] = [];
  let isRefusing = true;
  await page.route(pageData, (route) => {
    asked.push(pageNumber(route.request()));
    if (isRefusing) return route.fulfill({ status: 429, headers: { 'retry-after': '60' }, body: 'Too many' });
    return route.continue();
  });
  await openLinks(page);
  // Those that were in flight when the first answer came.
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  await page.waitForLoadState('networkidle');
  const refused = asked.length;
  expect(refused).toBeLessThanOrEqual(5);
  // The clock goes on meanwhile, but the rest of the minute is longer than this test.
  await page.clock.fastForward(30_000);
  isRefusing = false;
  await page.getByRole('link', { name: 'Page 9', exact: true }).hover();
  await expect.poll(() => asked.at(-1)).toBe(9);
  expect(asked).toHaveLength(refused + 1);
  await page.clock.fastForward(31_000);
  await expect.poll(() => asked.length).toBeGreaterThan(refused + 1);
});

test('links are plain links without JavaScript', { tag: '@daily' }, async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/lab/prefetch');
  await page.getByRole('link', { name: 'Page 3', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Page 3' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the links' }).click();
  await expect(page.getByRole('heading', { name: 'Prefetching' })).toBeVisible();
  await context.close();
});
