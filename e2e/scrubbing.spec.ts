import { randomUUID } from 'node:crypto';

import type { Page } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

async function useForms(page: Page): Promise<void> {
  const key = `key_${randomUUID().slice(0, 8)}`;
  await page.getByLabel('A text').fill(`${key}=4711 from 10.0.0.7`);
  await page.getByRole('button', { name: 'Try it' }).click();
  const asReport = page.getByRole('heading', { name: 'As a browser’s error' }).locator('..');
  await expect(asReport.locator('pre')).toHaveText(`${key}=4711 from [ip]`);
  // What was tried is in no address.
  expect(page.url()).not.toContain('4711');

  await page.getByLabel('Names of keys, one a line').fill(`${key}\n?`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('“?” is no name')).toBeVisible();
  await expect(page.getByLabel('Names of keys, one a line')).toHaveValue(`${key}\n?`);
  await page.getByLabel('Names of keys, one a line').fill(key);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText(`Added: ${key}.`)).toBeVisible();

  await page.getByLabel('A text').fill(`${key}=4711`);
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(asReport.locator('pre')).toHaveText(`${key}=[Filtered]`);

  await page.getByRole('button', { name: `Remove ${key}` }).click();
  await expect(page.getByText(`Removed: ${key}.`)).toBeVisible();
  await expect(page.getByRole('button', { name: `Remove ${key}` })).toHaveCount(0);

  // While the other of these two tests scrubs there is no button, and a page without JavaScript is as it came.
  await expect(async () => {
    await page.goto('/scrubbing');
    await page.getByRole('button', { name: 'Scrub what is stored again' }).click({ timeout: 1_000 });
  }).toPass();
  await expect
    .poll(async () => {
      await page.goto('/scrubbing');
      return page.getByText(/Done .* rows looked at/).count();
    })
    .toBe(1);
}

test('keys are added, tried and taken off, and what is stored is scrubbed again', async ({ page }) => {
  await openHydrated(page, '/scrubbing');
  await useForms(page);
});

test('without JavaScript, too', async ({ browser, baseURL }) => {
  const page = await openWithoutJavaScript(browser, baseURL);
  await page.goto('/scrubbing');
  await useForms(page);
  await page.context().close();
});

test('every rule shows what it makes of an example, and fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openHydrated(page, '/runtime');
  await page.getByRole('link', { name: 'What is removed before storing' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Scrubbing');
  const rules = page.getByRole('table', { name: 'Rules for texts' });
  await expect(rules.getByText('postgres://[Filtered]@db:5432/shop')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
