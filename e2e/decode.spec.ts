import { readFileSync } from 'node:fs';
import path from 'node:path';

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

import { openHydrated } from './open-hydrated.ts';
import { pasteText } from './paste-text.ts';
import { expect, test } from './test.ts';

const fixtures = path.join(import.meta.dirname, '../packages/flight/fixtures');
const wakuHome = path.join(fixtures, 'waku-1.0.0-rc.1-production/home-rsc.flight');
const wakuError = path.join(fixtures, 'waku-1.0.0-rc.1-production/boom-rsc.flight');
const wakuPage = path.join(fixtures, 'waku-1.0.0-rc.1-production/home-html.flight');
const values = path.join(fixtures, 'react-19.3.1-production/values.flight');
const binary = path.join(fixtures, 'react-19.3.1-production/binary.flight');

async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    ({ fileName, content }) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(content)], fileName));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    { fileName: name, content: [...bytes] },
  );
}

async function chooseFile(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) {
  await page.getByLabel('A file to decode').setInputFiles(file);
}

/** The value beside a name in the totals. */
function total(page: Page, name: string) {
  return page
    .locator('.flight-totals > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('definition');
}

function rows(page: Page) {
  return page.getByRole('listbox', { name: 'Rows', exact: true });
}

const selectedRow = '[role=option][aria-selected=true]';

test('a pasted Waku payload is decoded in the browser, and no request leaves', async ({ page }) => {
  await openHydrated(page, '/decode');
  // The first input loads the error reporting. The key makes sure that the paste is not the first.
  await page.keyboard.press('Shift');
  await page.waitForLoadState('networkidle');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`));
  await pasteText(page, readFileSync(wakuHome, 'utf8'));
  await expect(page.getByRole('heading', { name: 'Complete' })).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: /^Waku/ })).toBeVisible();
  await expect(total(page, 'Rows')).toHaveText('10');
  await expect(total(page, 'With gzip, estimated')).toHaveText(/^\d+ B$/);
  await page.getByRole('tab', { name: 'Waterfall' }).click();
  await expect(page.getByText('came without times')).toBeVisible();
  await page.getByRole('tab', { name: 'Rows' }).click();
  await rows(page).getByRole('option').first().click();
  await expect(page.getByRole('region', { name: 'The decoded value' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  // The viewer's own code may come later, and browsers request the icon again when the address changes.
  expect(sent.filter((request) => !/^GET \S+\/(?:assets\/[\w.-]+|favicon\.svg)$/.test(request))).toEqual([]);
});

test('a typed payload, a dropped file, and the page itself', async ({ page }) => {
  await openHydrated(page, '/decode');
  await page.getByRole('textbox').fill('0:"hello"');
  await page.getByRole('button', { name: 'Decode', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Complete' })).toBeVisible();
  await page.getByRole('button', { name: 'Decode another' }).click();
  await drop(page, 'values.flight', readFileSync(values));
  await expect(page.getByRole('heading', { name: 'values.flight' })).toBeVisible();
  await page.getByRole('button', { name: 'Decode another' }).click();
  await page.getByRole('button', { name: 'Decode this very page' }).click();
  await expect(page.getByText('an HTML page’s scripts')).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: /^Waku/ })).toBeVisible();
});

test('an HTML page’s payload is found in its scripts', async ({ page }) => {
  await openHydrated(page, '/decode');
  const next =
    '<script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,"0:\\"next\\"\\n"])</script>';
  const html = readFileSync(wakuPage, 'utf8').replace('<body>', `<body>${next}`);
  await pasteText(page, html);
  await expect(page.getByRole('heading', { name: '2 flights in Pasted text' })).toBeVisible();
  await page.getByRole('button', { name: /__FLIGHT_DATA/ }).click();
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to the 2 found' }).click();
  await page.getByRole('button', { name: /__next_f/ }).click();
  await expect(page.getByRole('heading', { name: 'Complete' })).toBeVisible();
});

test('a HAR lists its flights', async ({ page }) => {
  await openHydrated(page, '/decode');
  const entry = (url: string, file: string) => ({
    startedDateTime: '2026-11-20T10:00:00.000Z',
    time: 42,
    request: { method: 'GET', url, headers: [] },
    response: { status: 200, headers: [], content: { text: readFileSync(file, 'utf8') } },
    timings: { wait: 30, receive: 12 },
  });
  const request = { method: 'GET', url: 'https://shop.example/cart.rsc', headers: [] };
  const lost = { request, response: { status: 200, headers: [], content: { size: 4321 } } };
  const entries = [
    entry('https://shop.example/RSC/R/_root.txt', wakuHome),
    entry('https://shop.example/v', values),
    lost,
  ];
  const buffer = Buffer.from(JSON.stringify({ log: { version: '1.2', entries } }));
  await chooseFile(page, { name: 'shop.har', mimeType: 'application/json', buffer });
  await expect(page.getByRole('heading', { name: '2 flights in shop.har' })).toBeVisible();
  const leftOut = page.getByRole('region', { name: '1 left out of this HAR' });
  await expect(leftOut).toContainText('GET https://shop.example/cart.rsc');
  await expect(leftOut).toContainText('the HAR holds no body for it, and says there were 4,321 bytes');
  await page.getByRole('button', { name: 'GET /RSC/R/_root.txt' }).click();
  await expect(page.getByText('https://shop.example/RSC/R/_root.txt')).toBeVisible();
  // Recorded addresses are plain text.
  await expect(page.getByRole('link', { name: /shop\.example/ })).toHaveCount(0);
});

test('what is broken shows where, and what can be read', async ({ page }) => {
  await openHydrated(page, '/decode');
  await pasteText(page, '1:"fine"\n2:{"broken\n0:["$1"]\n');
  await expect(page.getByRole('heading', { name: 'Broken at byte 19' })).toBeVisible();
  await expect(total(page, 'Rows')).toHaveText('3');
  await page.getByRole('tab', { name: 'Rows' }).click();
  await page.getByRole('option', { name: /"fine"/ }).click();
  await expect(page.getByRole('region', { name: 'The decoded value' })).toContainText('"fine"');
  await page.getByRole('button', { name: 'Decode another' }).click();
  await pasteText(page, 'just a sentence');
  await expect(page.getByRole('heading', { name: 'This does not look like Flight' })).toBeVisible();
});

test('an error row shows its digest, and leads to its row', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, wakuError);
  const errors = page.getByRole('region', { name: '2 errors' });
  await expect(errors).toBeVisible();
  await expect(errors).toContainText('my-digest-1');
  await errors.getByRole('link', { name: 'row 9' }).click();
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator(selectedRow)).toContainText('error');
});

test('a link opens its row, lights its bytes, and follows what is selected', async ({ page }) => {
  const text = readFileSync(values, 'utf8');
  const start = Buffer.byteLength(text.slice(0, text.indexOf('"$Infinity"')));
  await openHydrated(page, `/decode#row=0&bytes=${start}-${start + '"$Infinity"'.length}`);
  await chooseFile(page, values);
  await expect(page.getByRole('heading', { name: /Row 0/ })).toBeVisible();
  const raw = page.getByRole('region', { name: 'The row as sent' });
  await expect(raw.locator('[data-lit]').first()).toBeVisible();
  expect((await raw.locator('[data-lit]').allInnerTexts()).join('')).toBe('"$Infinity"');
  const decoded = page.getByRole('region', { name: 'The decoded value' });
  await expect(decoded.locator('[data-lit]')).toContainText('Infinity');
  await decoded.getByRole('link', { name: 'row 2', exact: true }).click();
  await expect(page).toHaveURL(/\/decode#row=2$/);
  await expect(page.getByRole('heading', { name: /Row 2/ })).toBeVisible();
  await page.getByRole('link', { name: '0', exact: true }).click();
  await expect(page).toHaveURL(/#row=0$/);
});

test('everything is at hand on the keyboard', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, wakuHome);
  await page.getByRole('tab', { name: 'Overview' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Waterfall' })).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox');
  await expect(search).toBeFocused();
  await page.keyboard.type('client');
  await expect(page.getByText('5 rows', { exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 of 5', { exact: true })).toBeVisible();
  await rows(page).focus();
  await page.keyboard.press('n');
  await expect(page.getByText('2 of 5', { exact: true })).toBeVisible();
  await page.keyboard.press('N');
  await expect(page.getByText('1 of 5', { exact: true })).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.locator(selectedRow)).toHaveAttribute('aria-posinset', '10');
  await page.keyboard.press('ArrowUp');
  await expect(page.locator(selectedRow)).toHaveAttribute('aria-posinset', '9');
  await page.keyboard.press('Home');
  await expect(page.locator(selectedRow)).toHaveAttribute('aria-posinset', '1');
  await page.keyboard.press('Enter');
  await expect(page.locator('.flight-detail')).toBeFocused();
});

test('bytes that are no text are shown in hex, and as numbers', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, binary);
  await page.getByRole('tab', { name: 'Rows' }).click();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Int16Array (1)');
  await rows(page).getByRole('option').first().click();
  await expect(page.getByRole('region', { name: /^Int16Array with \d+ numbers$/ })).toContainText(/\d/);
  await page.getByRole('button', { name: 'Hex' }).click();
  await expect(page.getByRole('region', { name: 'The row as sent' })).toContainText(/[0-9a-f]{2} [0-9a-f]{2}/);
});

test('5 MB in 20 000 rows are decoded in a worker; the last row is one key away', async ({ page }) => {
  await openHydrated(page, '/decode');
  const lines = Array.from(
    { length: 20_000 },
    (_, index) => `${(index + 1).toString(16)}:["$","li","${index}",{"children":"${'x'.repeat(220)} ${index}"}]\n`,
  );
  const buffer = Buffer.from(`${lines.join('')}0:["$","ul",null,{"children":"$L1"}]\n`);
  expect(buffer.length).toBeGreaterThan(5_000_000);
  const worker = page.waitForEvent('worker');
  await chooseFile(page, { name: 'large.flight', mimeType: 'text/plain', buffer });
  await worker;
  await expect(total(page, 'Rows')).toHaveText('20,001');
  await page.getByRole('tab', { name: 'Rows' }).click();
  await rows(page).focus();
  await page.keyboard.press('End');
  await expect(page.locator(selectedRow)).toContainText('<ul>');
  expect(await page.getByRole('option').count()).toBeLessThan(100);
  await page.getByRole('searchbox').fill('x 19998');
  await expect(page.getByText('1 row', { exact: true })).toBeVisible();
});

test('every view is without axe violations, in light and dark, and 390 pixels are enough', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, values);
  for (const name of ['Overview', 'Waterfall', 'Rows']) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('tab', { name }).click();
    if (name === 'Rows') await rows(page).getByRole('option').last().click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
        name,
      ).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(390);
  }
});

test('without JavaScript the page says what to do instead', async ({ browser, baseURL, storageState }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    ...(baseURL ? { baseURL } : {}),
    ...(storageState ? { storageState } : {}),
  });
  const page = await context.newPage();
  await page.goto('/decode');
  await expect(page.getByText('npm run -s flight --')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Decode', exact: true })).toBeDisabled();
  await context.close();
});
