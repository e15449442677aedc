import { randomUUID } from 'node:crypto';

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

import { breakPage } from './testing/break-page.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const addresses = [
  '/',
  '/about',
  '/protocol',
  '/digest?code=neither',
  '/digest/<code>',
  '/faults?app=flight-recorder',
  '/faults?q=canary&spark=14d&chosen=page',
  '/faults?q=neither',
  '/faults/<fault>',
  '/decode',
  '/runtime',
  '/not-kept',
  '/scrubbing',
  '/flights',
  '/flights?kind=prefetch&digest=neither',
  '/flights?own=1&kind=action&sort=flight',
  '/flights?own=1&view=routes',
  '/flights/<flight>',
  '/flights/visit/<visit>',
  '/flights/<flight>/diff/<flight>',
  '/flights/diff',
  '/flights/of/00000000000000000000000000000000',
  '/flights/prefetches?own=1',
  '/guard',
  '/flights/prefetches?own=1&by=page',
  '/apps',
  '/apps/<app>',
  '/apps/<app>/builds',
  '/alerts',
  '/operator',
  '/login',
  '/nowhere',
  '/lab',
  '/lab/throw-before-shell',
  '/lab/throw-after-shell',
  '/lab/throw-in-browser',
  '/lab/throw-in-action',
  '/lab/actions',
  '/lab/page-data',
  '/lab/prefetch',
  '/lab/prefetch/1',
  '/lab/slow?ms=0',
  '/lab/streaming',
  '/lab/props',
  '/lab/binary-prop',
  '/lab/about/slow',
  '/lab/about/throw-in-ssr',
] as const;

/** Pages that end in an error panel. They are looked at when the panel is there. */
const failing: readonly string[] = ['/lab/throw-before-shell', '/lab/throw-after-shell'];

async function openEveryDetail(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

function describe({ violations }: Awaited<ReturnType<AxeBuilder['analyze']>>): string[] {
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

async function listViolations(page: Page): Promise<string[]> {
  return describe(await new AxeBuilder({ page }).analyze());
}

/** Targets that are neither 24 px wide and high nor that far from the next one. The rule is not on by itself. */
async function listSmallTargets(page: Page): Promise<string[]> {
  return describe(await new AxeBuilder({ page }).withRules(['target-size']).analyze());
}

/** Elements that extend beyond the right edge of the page. No element on these pages scrolls sideways. */
async function listOverflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const edge = document.documentElement.clientWidth + 0.5;
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > edge)
      .map((element) => element.outerHTML.slice(0, 120));
  });
}

/** @returns the path of its page */
async function addApp(page: Page): Promise<string> {
  await openHydrated(page, '/apps');
  await page.getByLabel('Name').fill(`Looks ${randomUUID().slice(0, 8)}`);
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page).toHaveURL(/\/apps\/looks-/);
  return new URL(page.url()).pathname;
}

/** @returns the path of the fault's page that the digest's page leads to */
async function findFault(page: Page, digest: string): Promise<string> {
  await page.goto(`/digest/${digest}`);
  return (await page.getByRole('link', { name: /errors? of this fault$/ }).getAttribute('href')) ?? '';
}

/** Completes an address with what is only known now: the digest, its flight, and that flight's visit. */
async function complete(page: Page, address: string, digest: string): Promise<string> {
  if (address.includes('<app>')) return addApp(page);
  if (address.includes('<fault>')) return findFault(page, digest);
  if (!/<flight>|<visit>/.test(address)) return address.replace('<code>', digest);
  const flight = page.getByRole('table', { name: 'Flights' }).getByRole('link', { name: 'GET /lab/throw-in-ssr' });
  await expect(async () => {
    await page.goto(`/flights?digest=${digest}`);
    await expect(flight).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const path = (await flight.getAttribute('href')) ?? '';
  const id = path.replace('/flights/', '');
  if (!address.includes('<visit>')) return address.replaceAll('<flight>', id);
  await page.goto(path);
  return (
    (await page
      .getByRole('link', { name: /^Its only flight|^All \d+ flights/, includeHidden: true })
      .getAttribute('href')) ?? ''
  );
}

/** It has all that an error can show, and a list. */
const daily = '/faults/<fault>';

for (const address of addresses) {
  const details = address === daily ? { tag: '@daily' } : {};
  test(
    `${address}: axe finds nothing in light and dark, and 390 pixels are enough`,
    details,
    async ({ page, request, expectConsoleErrors }) => {
      expectConsoleErrors(/status of (404|500)|Server Components render|Minified React error #441/);
      const digest = await breakPage(request, '/lab/throw-in-ssr');
      await page.goto(await complete(page, address, digest));
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      if (failing.includes(address)) await expect(page.getByRole('alert')).toBeVisible();
      await openEveryDetail(page);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await listViolations(page), 'light').toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await listViolations(page), 'dark').toEqual([]);
      expect(await listSmallTargets(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await listSmallTargets(page), '390 pixels').toEqual([]);
      expect(await listOverflowing(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    },
  );
}

test(
  'the error document stands alone without JavaScript: styled, with ways out',
  { tag: '@daily' },
  async ({ browser, baseURL }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
    const page = await context.newPage();
    const response = await page.goto('/lab/throw-before-shell?answer=42');
    expect(response?.status()).toBe(500);
    const panel = page.locator('.flight-error');
    await expect(panel).toHaveCSS('border-top-color', 'rgb(255, 92, 13)');
    await expect(page.getByRole('button')).toHaveText(['Send']);
    await page.getByRole('link', { name: 'Try again' }).click();
    await expect(page).toHaveURL('/lab/throw-before-shell?answer=42');
    await page.getByRole('link', { name: 'Home' }).click();
    await expect(page).toHaveURL('/');
    await context.close();
  },
);

test('the first tab stop skips to the content', { tag: '@daily' }, async ({ page }) => {
  await page.goto('/lab');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`a navigation in flight is seen, on its link and under the header (motion: ${reducedMotion})`, async ({
    page,
  }) => {
    await page.emulateMedia({ reducedMotion });
    await openHydrated(page, '/lab/slow?ms=0');
    const readBar = () =>
      page.locator('.pending-bar').evaluate((bar) => {
        const { opacity, animationName } = getComputedStyle(bar, '::after');
        return { opacity, isMoving: animationName.includes('pending-move') };
      });
    expect(await readBar()).toEqual({ opacity: '0', isMoving: false });
    const link = page.getByRole('link', { name: 'Wait 2000 ms' });
    await link.click();
    await expect(link).toHaveCSS('cursor', 'progress');
    await expect.poll(readBar).toEqual({ opacity: '1', isMoving: reducedMotion === 'no-preference' });
    await expect(page.getByText('The server waited 2000 ms.')).toBeVisible();
    await expect(link).not.toHaveCSS('cursor', 'progress');
    await expect.poll(readBar).toEqual({ opacity: '0', isMoving: false });
  });
}

for (const width of [1280, 390]) {
  test(`the offline banner and the action notice stand one above the other at ${width} pixels`, async ({
    page,
    context,
    expectConsoleErrors,
  }) => {
    expectConsoleErrors(/ERR_INTERNET_DISCONNECTED/);
    await page.setViewportSize({ width, height: 800 });
    await openHydrated(page, '/lab/actions');
    // The first key or click loads the error reporting, which could not be loaded offline.
    const loaded = page.waitForEvent('requestfinished');
    await page.keyboard.press('Shift');
    await loaded;
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    const notice = page.locator('.flight-action-notice');
    await expect(notice).toBeVisible();
    await page.getByRole('link', { name: 'leave the page' }).click();
    const banner = page.locator('.flight-offline');
    await expect(banner).toBeVisible();
    const [above, below] = [await notice.boundingBox(), await banner.boundingBox()];
    if (!above || !below) throw new Error('One of them has no box');
    expect(above.y + above.height).toBeLessThan(below.y);
    expect([above.x, above.width]).toEqual([below.x, below.width]);
  });
}
