import { startServer } from '../reliability/testing/start-server.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

const ofPage = (kind: string) => `the ${kind} that brought this page`;

test('a page of the lab leads to the document that brought it, and to its visit', async ({ page }) => {
  const response = await page.goto('/lab/slow?ms=0');
  await response?.finished();
  await page.getByRole('link', { name: ofPage('document') }).click();
  await expect(page).toHaveURL(/\/flights\/\d+$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('GET /lab/slow');
  await page.goBack();
  await page.getByRole('link', { name: 'all flights of this visit' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Visit' })).toBeVisible();
});

test('after a navigation and after an action it leads to those', async ({ page }) => {
  await openHydrated(page, '/lab');
  await page.getByRole('link', { name: 'Server actions', exact: true }).click();
  // On a busy machine the navigation may have become a document load.
  await page.getByRole('link', { name: /^the (?:navigation|document) that brought this page$/ }).click();
  await expect(page).toHaveURL(/\/flights\/\d+$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('/lab/actions');

  await openHydrated(page, '/lab/actions?key=lab-flights');
  await page.getByRole('button', { name: 'Raise by 5' }).click();
  await page.getByRole('link', { name: ofPage('action') }).click();
  await expect(page).toHaveURL(/\/flights\/\d+$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('POST /lab/actions');
});

test('it leads there without JavaScript too', async ({ browser, baseURL }) => {
  const page = await openWithoutJavaScript(browser, baseURL);
  const response = await page.goto('/lab/slow?ms=0');
  await response?.finished();
  await page.getByRole('link', { name: ofPage('document') }).click();
  await expect(page).toHaveURL(/\/flights\/\d+$/);
  await page.context().close();
});

test('a request that is not recorded has no flight, and says so; what is no request is no page', async ({
  page,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/status of 404/);
  await page.goto(`/flights/of/${'0'.repeat(32)}`);
  await expect(page.getByRole('heading', { level: 1, name: 'This request has no flight' })).toBeVisible();
  await expect(page.getByText('Recorded here: every flight.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Look again' })).toBeVisible();
  const response = await page.goto('/flights/of/neither');
  expect(response?.status()).toBe(404);
});

test('where nothing is recorded, the lab says so in place of a link', async ({ page }) => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'off', RECORD: 'off' } });
  await page.goto(`${server.origin}/lab/slow?ms=0`);
  await expect(page.getByText('Recorded here: nothing. So this page has no flight to look at.')).toBeVisible();
  await expect(page.getByRole('link', { name: ofPage('document') })).toHaveCount(0);
});
