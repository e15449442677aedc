import type { Page } from 'playwright/test';

import { operatorPath, readApiAddress } from '../src/server/http/addresses.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

/** Makes a token by the form of the page, and returns it as it is shown. */
async function makeToken(page: Page, name: string): Promise<string> {
  await page.goto(operatorPath);
  await page.getByText('Make a token').click();
  await page.getByLabel('What it is for').fill(name);
  await page.getByRole('button', { name: 'Make the token' }).click();
  const shown = page.getByText(/^flr_[0-9a-z]{8}_[\w-]{43}$/);
  await expect(shown).toBeVisible();
  return await shown.innerText();
}

async function proveToken(page: Page, name: string): Promise<void> {
  const token = await makeToken(page, name);
  const ask = () =>
    page.request.get(readApiAddress('apps'), { headers: { authorization: `Bearer ${token}`, cookie: '' } });
  expect((await ask()).status()).toBe(200);
  await page.goto(operatorPath);
  await expect(page.getByText(token)).toHaveCount(0);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText(token.slice(0, 12));
  await row.getByRole('button', { name: `Revoke ${name}` }).click();
  await expect(row).toHaveCount(0);
  expect((await ask()).status()).toBe(401);
}

test('a token is made, shown once, used and revoked', async ({ page }) => {
  await proveToken(page, 'a script');
});

test('the same without JavaScript', async ({ browser, baseURL }) => {
  const page = await openWithoutJavaScript(browser, baseURL);
  await proveToken(page, 'an old browser');
  await page.context().close();
});
