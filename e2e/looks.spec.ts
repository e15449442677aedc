import { AxeBuilder } from '@axe-core/playwright';

import { breakPage } from './break-page.ts';
import { expect, test } from './test.ts';

const pages = {
  home: '/',
  'refused look-up': '/digest?code=hello',
  digest: 'a digest',
  runtime: '/runtime',
  lab: '/lab',
  experiment: '/lab/throw-in-browser',
  'failed part': '/lab/throw-after-shell',
  'error page': '/lab/throw-before-shell',
  'not found': '/nowhere',
} as const;

for (const [name, address] of Object.entries(pages)) {
  test.describe(name, () => {
    test.beforeEach(async ({ page, request, expectConsoleErrors }) => {
      expectConsoleErrors(/404|500|Server Components render|Minified React error #441/);
      const digest = await breakPage(request, '/lab/throw-in-ssr');
      await page.goto(address === 'a digest' ? `/digest/${digest}` : address);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      if (name === 'failed part') await expect(page.getByRole('alert')).toBeVisible();
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      test.describe(colorScheme, () => {
        test.use({ colorScheme });

        test('axe finds nothing', async ({ page }) => {
          for (const summary of await page.locator('summary').all()) {
            if (await summary.evaluate((element) => !element.closest('details')?.open)) await summary.click();
          }
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
        });
      });
    }

    test.describe('390 pixels wide', () => {
      test.use({ viewport: { width: 390, height: 800 } });

      test('does not scroll sideways', async ({ page }) => {
        const overflow = await page.evaluate(() => {
          const edge = document.documentElement.clientWidth;
          return [...document.querySelectorAll('body *')]
            .filter((element) => element.getBoundingClientRect().right > edge + 0.5)
            .map((element) => element.outerHTML.slice(0, 120));
        });
        expect(overflow).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      });
    });
  });
}

test('the error document stands alone without JavaScript: styled, with ways out', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  const response = await page.goto('/lab/throw-before-shell?answer=42');
  expect(response?.status()).toBe(500);
  const panel = page.locator('.flight-error');
  await expect(panel).toHaveCSS('border-top-color', 'rgb(255, 92, 13)');
  await expect(page.getByRole('button')).toHaveCount(0);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page).toHaveURL('/lab/throw-before-shell?answer=42');
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page).toHaveURL('/');
  await context.close();
});

test('the first tab stop skips to the content', async ({ page }) => {
  await page.goto('/');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});
