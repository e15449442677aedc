import { readFileSync } from 'node:fs';

import type { Page } from 'playwright/test';

import { readShared } from '#src/lab/share/read-shared.ts';

import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

function findParts(page: Page) {
  const main = page.getByRole('main');
  return {
    source: main.getByRole('region', { name: 'Source' }),
    payload: main.getByRole('region', { name: 'Payload of this component only' }),
    result: main.getByRole('region', { name: 'The result' }),
    rows: main.getByRole('list', { name: 'Rows of the payload' }).getByRole('listitem'),
  };
}

test(
  'source, payload and result stand beside each other above the fold, and on a phone below each other',
  { tag: '@daily' },
  async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await openHydrated(page, '/lab/about/promise-prop');
    const { source, payload, result, rows } = findParts(page);
    await payload.getByRole('button', { name: 'Show all' }).click();
    await expect(result).toContainText('Rain until noon');
    const boxes = await Promise.all([source, payload, result].map((part) => part.boundingBox()));
    const [tops, lefts] = [boxes.map((box) => box?.y ?? 0), boxes.map((box) => box?.x ?? 0)];
    expect(new Set(tops).size).toBe(1);
    expect(tops[0]).toBeLessThan(500);
    expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
    await expect(rows.first()).toBeInViewport();
    await expect(source.getByText('Suspense').first()).toBeInViewport();
    // Nothing of the page around it: its layout's parts, and the names of Waku's.
    await expect(payload).not.toContainText('page:/');
    await expect(payload).not.toContainText('Flight Recorder');

    await page.setViewportSize({ width: 390, height: 800 });
    const below = await Promise.all([source, payload, result].map((part) => part.boundingBox()));
    const ys = below.map((box) => box?.y ?? 0);
    expect(ys).toEqual(ys.toSorted((one, other) => one - other));
    expect(new Set(ys).size).toBe(3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  },
);

test('row by row, the result is what the rows so far make, and each row says what it completed', async ({ page }) => {
  await openHydrated(page, '/lab/about/promise-prop');
  const { payload, result, rows } = findParts(page);
  await expect(payload).toContainText(/in \d+ chunks/);
  const count = await rows.count();
  await expect(payload.getByText(`1 of ${count}`)).toBeVisible();
  await expect(result).toContainText('Nothing yet: the row with id 0 begins it.');
  await expect(payload).toContainText('Nothing new in the result. Row 0 refers to this row.');

  // The row before the last has all but the forecast.
  await rows
    .nth(count - 2)
    .getByRole('button')
    .click();
  await expect(result).toContainText('The forecast is on its way.');
  await expect(result).not.toContainText('Rain until noon');
  await expect(rows.nth(count - 2).getByRole('button')).toHaveAttribute('aria-current', 'step');

  await payload.getByRole('button', { name: 'Next row' }).click();
  await expect(result).toContainText('Rain until noon');
  await expect(payload.getByText(/^New in the result/)).toContainText('Rain until noon');
  const lit = () => result.evaluate((part) => part.getAnimations({ subtree: true }).length);
  expect(await lit()).toBeGreaterThan(0);
  await expect(payload.getByRole('button', { name: 'Next row' })).toBeDisabled();

  await payload.getByRole('button', { name: 'Show all' }).click();
  await expect(payload.getByText(`All ${count}`)).toBeVisible();
  expect(await lit()).toBe(0);
  await expect(payload.getByText(/^New in the result/)).toHaveCount(0);
});

test('played, the rows come one after the other to the end', async ({ page }) => {
  await openHydrated(page, '/lab/about/bound-actions');
  const { payload, rows } = findParts(page);
  await expect(payload).toContainText(/in (?:one|\d+) chunks?/);
  const count = await rows.count();
  await payload.getByRole('button', { name: 'Play' }).click();
  await expect(payload.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(payload.getByText(`${count} of ${count}`)).toBeVisible({ timeout: 40_000 });
  await expect(payload.getByRole('button', { name: 'Play' })).toBeVisible();
});

test('a link to a variant shows the variant here', async ({ page }) => {
  await openHydrated(page, '/lab/about/props');
  const { payload, result } = findParts(page);
  await payload.getByRole('button', { name: 'Show all' }).click();
  await expect(payload).not.toContainText('"description"');
  await result.getByRole('link').nth(1).click();
  await expect(page).toHaveURL(/\/lab\/about\/props\?give=/);
  await expect(payload).toContainText('"description"');
});

test('a variant takes the place of the one before: what was typed moves with its key, or stays', async ({ page }) => {
  for (const [query, keeper] of [
    ['', 'Ada'],
    ['?keys=none', 'Margaret'],
  ] as const) {
    await openHydrated(page, `/lab/about/keys-and-identity${query}`);
    const { payload, result } = findParts(page);
    await payload.getByRole('button', { name: 'Show all' }).click();
    await result.getByLabel('Ada').fill('typed');
    await result.getByRole('link', { name: 'Turn it around' }).click();
    await expect(page).toHaveURL(/order=reversed/);
    await expect(result.getByRole('textbox').first()).toHaveAccessibleName('Margaret');
    await expect(result.getByLabel(keeper)).toHaveValue('typed');
  }
});

test('what waits for later rows without a boundary says so, and the row that is looked at stays in sight', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openHydrated(page, '/lab/about/duplicates');
  const { payload, result, rows } = findParts(page);
  await expect(rows).toHaveCount(15);
  const next = payload.getByRole('button', { name: 'Next row' });
  for (let row = 1; row < 10; row += 1) await next.click();
  await expect(payload.getByText('10 of 15')).toBeVisible();
  await expect(result).toContainText('Row 0 is here. It waits for rows');
  await expect(payload).toContainText('Nothing new in the result. Row 0 refers to this row.');
  await next.evaluate((button) => button.scrollIntoView({ block: 'start' }));
  await expect(rows.nth(9)).toBeInViewport();
  await expect(result.getByText('Row 0 is here.')).toBeInViewport();
  await expect(next).toBeInViewport();
  expect(
    await rows
      .nth(9)
      .getByRole('button')
      .locator('code')
      .evaluate((code) => getComputedStyle(code).fontSize),
  ).toBe('12px');
});

test('an error panel in the result takes no focus from the buttons, and the page stays where it is', async ({
  page,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/Server Components render|Minified React error|canary/);
  await page.setViewportSize({ width: 390, height: 800 });
  await openHydrated(page, '/lab/about/throw-after-shell');
  const { payload, result, rows } = findParts(page);
  await expect(payload).toContainText(/in \d+ chunks/);
  const next = payload.getByRole('button', { name: 'Next row' });
  await rows
    .nth((await rows.count()) - 2)
    .getByRole('button')
    .click();
  await expect(result).toContainText('still being rendered');
  await next.focus();
  const before = await page.evaluate(() => globalThis.scrollY);
  await page.keyboard.press('Enter');
  await expect(result.getByRole('alert')).toContainText(/Digest/);
  await expect(payload.getByText(/^New in the result/)).toBeVisible();
  await expect(result.getByRole('heading', { level: 1 })).not.toBeFocused();
  expect(await page.evaluate(() => globalThis.scrollY)).toBe(before);
});

test('the answer is closed at first, and a step leads to the next', async ({ page }) => {
  await openHydrated(page, '/lab/about/props');
  const answer = page.getByText('The size of the payload');
  await expect(page.getByText('Which of its fields are sent?')).toBeVisible();
  await expect(answer).toBeHidden();
  await page.getByText('Look for', { exact: true }).click();
  await expect(answer).toBeVisible();
  await page.getByRole('link', { name: 'Next: The order of a stream' }).click();
  await expect(page).toHaveURL('/lab/about/streaming-order');
  await expect(findParts(page).payload.getByText('1 of 5')).toBeVisible();
  await expect(page.getByText('No part waits')).toBeHidden();
  await page.getByRole('link', { name: 'Every sign, explained' }).click();
  await page.getByRole('main').getByRole('link', { name: 'The lab' }).click();
  await expect(page.getByRole('heading', { name: 'A course, step by step' })).toBeVisible();
});

test('an experiment that throws has a payload, whose result is the digest of its error', async ({
  page,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/Server Components render|Minified React error|canary/);
  await openHydrated(page, '/lab/about/throw-before-shell');
  const { result, rows } = findParts(page);
  await expect(result.getByRole('alert')).toContainText(/Digest [0-9A-Z]{10}/);
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).not.toContainText('canary');
});

test('shared, it is one file that holds the payload, its times and the source', async ({ page }) => {
  await openHydrated(page, '/lab/about/promise-prop');
  const { payload, rows } = findParts(page);
  await expect(payload).toContainText(/in \d+ chunks/);
  const count = await rows.count();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    payload.getByRole('button', { name: 'Save as one file' }).click(),
  ]);
  const file = test.info().outputPath('promise-prop.html');
  await download.saveAs(file);

  const shared = await readShared(readFileSync(file, 'utf8'));
  if (shared.kind === 'none') throw new Error(shared.reason);
  expect(shared.experiment.files.map((one) => one.file)).toEqual([
    'promise-prop.tsx',
    'promise-prop/forecast.tsx',
    'wait.ts',
  ]);
  expect(shared.experiment.files[0]?.text).toBe(readFileSync('src/lab/promise-prop.tsx', 'utf8').trimEnd());

  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles(file);
  await page.getByRole('tab', { name: 'Rows' }).click();
  await expect(page.locator('.flight-row[role=option]')).toHaveCount(count);
  await expect(page.getByRole('tabpanel')).toContainText(/[67]\d\d ms/);
});

test('without JavaScript there are the source, the payload as text, and the result', async ({ browser, baseURL }) => {
  const page = await openWithoutJavaScript(browser, baseURL);
  await page.goto('/lab/about/props?give=all');
  await expect(page.getByText('The size of the payload')).toBeHidden();
  await page.getByText('Look for', { exact: true }).click();
  await expect(page.getByText('The size of the payload')).toBeVisible();
  await expect(page.getByRole('figure', { name: 'Source of src/lab/props.tsx' })).toContainText('export default');
  const text = page.getByRole('link', { name: 'The payload alone, as text' });
  const response = await page.request.get((await text.getAttribute('href')) ?? '');
  expect(response.status()).toBe(200);
  expect(await response.text()).toMatch(/^0:|\n0:/);
  expect(await response.text()).toContain('made of brass');
  await page.getByRole('link', { name: 'the result, in its page' }).click();
  await expect(page).toHaveURL('/lab/props?give=all');
  await page.context().close();
});

test('the payload alone is the operator’s, and of an experiment', async ({ request, playwright, baseURL }) => {
  expect((await request.get('/lab/about/neither/alone')).status()).toBe(404);
  const stranger = await playwright.request.newContext({
    ...(baseURL ? { baseURL } : {}),
    storageState: { cookies: [], origins: [] },
  });
  const refused = await stranger.get('/lab/about/props/alone', { maxRedirects: 0 });
  expect(refused.status()).not.toBe(200);
  await stranger.dispose();
});
