import type { Page } from 'playwright/test';

import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

function readScroll(page: Page): Promise<number> {
  return page.evaluate(() => Math.round(window.scrollY));
}

/** Scrolls, and waits for the frame in which the page is told. */
async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate(
    (y) =>
      new Promise((resolve) => {
        window.addEventListener('scroll', () => requestAnimationFrame(resolve), { once: true });
        window.scrollTo({ top: y, behavior: 'instant' });
      }),
    top,
  );
}

test('back and forward return to where each page was scrolled to', { tag: '@daily' }, async ({ page }) => {
  await openHydrated(page, '/lab/prefetch');
  await scrollTo(page, 1200);
  await page.getByRole('link', { name: 'Page 14', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Page 14', level: 1 })).toBeVisible();
  expect(await readScroll(page)).toBe(0);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Page 14', level: 1 })).toHaveCount(0);
  await expect.poll(() => readScroll(page)).toBe(1200);
  await page.goForward();
  await expect(page.getByRole('heading', { name: 'Page 14', level: 1 })).toBeVisible();
  await expect.poll(() => readScroll(page)).toBe(0);
});

test('back from a page that is still arriving returns to where its link was', async ({ page }) => {
  await openHydrated(page, '/lab');
  const link = page.getByRole('link', { name: 'Streaming page', exact: true });
  await link.scrollIntoViewIfNeeded();
  const top = await readScroll(page);
  expect(top).toBeGreaterThan(0);
  await link.click();
  await expect(page.getByText('Part 1 after', { exact: false }).first()).toBeVisible();
  await page.goBack();
  await expect.poll(() => readScroll(page)).toBe(top);
});

test('a reload stays where it was', async ({ page }) => {
  await openHydrated(page, '/lab/prefetch');
  await scrollTo(page, 900);
  await page.reload();
  await waitUntilHydrated(page);
  await expect.poll(() => readScroll(page)).toBe(900);
});

test('a navigation by keyboard is announced, and the focus goes to the new page', async ({ page }) => {
  await openHydrated(page, '/lab');
  await page.getByRole('link', { name: 'Streaming page', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(
    page.locator('[aria-live="polite"]').filter({ hasText: 'Streaming page · Flight Recorder' }),
  ).toBeAttached();
  await expect(page.locator('main')).toBeFocused();
});

test('a link to a place on the page goes there, and back goes to where it was', async ({ page }) => {
  await openHydrated(page, '/protocol');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'T', exact: true }).click();
  await expect(page).toHaveURL('/protocol#row-T');
  await expect(page.locator('#row-T')).toBeInViewport();
  const top = await readScroll(page);
  expect(top).toBeGreaterThan(0);
  await contents.getByRole('link', { name: '$Q', exact: true }).click();
  await expect(page.locator('#form-Q')).toBeInViewport();
  await expect(page.locator('#row-T')).not.toBeInViewport();
  await page.goBack();
  await expect(page).toHaveURL('/protocol#row-T');
  await expect.poll(() => readScroll(page)).toBe(top);
});
