import { readFileSync } from 'node:fs';
import path from 'node:path';

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { pasteText } from './testing/paste-text.ts';
import { expect, test } from './testing/test.ts';

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

type NamedFile = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

async function chooseFile(page: Page, file: string | NamedFile | NamedFile[]) {
  await page.getByLabel('A file to decode').setInputFiles(file);
}

function nameFile(name: string, text: string): NamedFile {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
}

function openedFiles(page: Page) {
  return page.getByRole('list', { name: 'Opened files' });
}

/** A list of elements, each with a class name and a text. */
function listPayload(count: number, className: string, text = 'item'): string {
  const items = Array.from(
    { length: count },
    (_, key) => `["$","li","${key}",{"className":"${className}","children":"${text} ${key}"}]`,
  );
  return `0:["$","ul",null,{"children":[${items.join(',')}]}]\n`;
}

/** A HAR whose entries follow each other every 20 ms. */
function makeHar(count: number): NamedFile {
  const entries = Array.from({ length: count }, (_, index) => ({ index, text: listPayload(1 + (index % 5), 'card') }));
  const saved = entries.map(({ index, text }) => ({
    startedDateTime: new Date(Date.UTC(2026, 10, 20, 10) + index * 20).toISOString(),
    time: 40 + (index % 7) * 30,
    request: {
      method: 'GET',
      url: `https://shop.example/products/${index}?_rsc=1`,
      headers: index % 3 === 0 ? [{ name: 'Next-Router-Prefetch', value: '1' }] : [],
    },
    response: {
      status: index === 5 ? 500 : 200,
      headers: [],
      content: { text, size: text.length },
      bodySize: 10 + (index % 50),
    },
    timings: { wait: 25, receive: 15 + (index % 7) * 30 },
  }));
  return nameFile('shop.har', JSON.stringify({ log: { version: '1.2', entries: saved } }));
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

test('a pasted Waku payload is decoded in the browser, and no request leaves', { tag: '@daily' }, async ({ page }) => {
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

test('several files are opened at once, and those that cannot be read say why', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, [
    nameFile('one.flight', listPayload(2, 'a')),
    nameFile('broken.txt', 'just a sentence'),
    nameFile('page.html', readFileSync(wakuPage, 'utf8')),
  ]);
  await expect(openedFiles(page).getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('heading', { name: 'This does not look like Flight' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'broken.txt' })).toBeVisible();
  await expect(page).toHaveURL(/\/decode$/);
  await page.reload();
  await expect(openedFiles(page).getByRole('listitem')).toHaveCount(2);
  await expect(page.getByText('They stay in this browser alone')).toBeVisible();
  await page.getByRole('button', { name: 'Forget one.flight' }).click();
  await expect(openedFiles(page).getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Forget all' }).click();
  await expect(openedFiles(page)).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Decode', exact: true })).toBeEnabled();
  await expect(openedFiles(page)).toHaveCount(0);
});

test('what is opened survives a reload, and going back leads to what was shown before', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, makeHar(3));
  await expect(page.getByRole('heading', { name: '3 flights in shop.har' })).toBeVisible();
  await page.getByRole('button', { name: 'GET /products/1?_rsc=1' }).click();
  await expect(page.getByRole('heading', { name: 'GET /products/1?_rsc=1' })).toBeVisible();
  await page.getByRole('tab', { name: 'Rows' }).click();
  const { href } = new URL(page.url());
  await page.reload();
  await expect(page).toHaveURL(href);
  await expect(page.getByRole('heading', { name: 'GET /products/1?_rsc=1' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
  await page.goBack();
  await expect(page.getByRole('heading', { name: '3 flights in shop.har' })).toBeVisible();
  await page.goBack();
  await expect(openedFiles(page).getByRole('link', { name: 'shop.har' })).toBeVisible();
  await page.goForward();
  await page.goForward();
  await expect(page.getByRole('heading', { name: 'GET /products/1?_rsc=1' })).toBeVisible();
  await page.goto('/decode?file=unknown1');
  await expect(page.getByRole('heading', { name: 'This browser does not have the file' })).toBeVisible();
});

test('a browser that keeps nothing says so, and shows the file all the same', async ({ page }) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('A mutation operation was attempted in private mode', 'InvalidStateError');
    };
  });
  await openHydrated(page, '/decode');
  await chooseFile(page, nameFile('one.flight', listPayload(2, 'a')));
  await expect(page.getByRole('heading', { name: 'Complete' })).toBeVisible();
  await page.getByRole('tab', { name: 'Rows' }).click();
  await rows(page).getByRole('option').first().click();
  await expect(page.getByRole('button', { name: 'Copy raw' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy link' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Decode another' }).click();
  await expect(openedFiles(page)).toContainText('not kept');
  await expect(page.getByText('This browser does not keep them: A mutation operation')).toBeVisible();
});

test('two files are compared in the browser, and each difference leads to its row', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, [
    nameFile('old.flight', listPayload(300, 'card')),
    nameFile('new.flight', listPayload(301, 'card active')),
  ]);
  await openedFiles(page).getByRole('checkbox', { name: 'Compare old.flight' }).check();
  await openedFiles(page).getByRole('checkbox', { name: 'Compare new.flight' }).check();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await expect(page.getByText('className of <li>: 300 times the same change')).toBeVisible();
  await expect(page.getByText(/kB → .* kB, \+2\.\d+ kB: <li> \+2\.\d+ kB/)).toBeVisible();
  await expect(page.getByRole('list', { name: 'Differences' }).getByRole('listitem').first()).toContainText('card');
  await expect(page.locator('ins')).toHaveText(' active');
  const { href } = new URL(page.url());
  await page.getByText('Where', { exact: true }).first().click();
  await page.getByRole('link', { name: 'All places' }).click();
  await expect(page.getByRole('list', { name: 'Places' }).getByRole('listitem')).toHaveCount(200);
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByRole('list', { name: 'Places' }).getByRole('listitem')).toHaveCount(100);
  await page.getByRole('link', { name: 'All differences' }).click();
  await page.getByRole('link', { name: 'Swap before and after' }).click();
  await expect(page.locator('del')).toHaveText(' active');
  await page.goto(href);
  await page
    .getByRole('listitem')
    .filter({ hasText: '<li> in <ul>' })
    .getByRole('link', { name: /^After/ })
    .click();
  await expect(page.getByRole('heading', { name: 'new.flight' })).toBeVisible();
  await expect(page).toHaveURL(/#row=0&bytes=\d+-\d+$/);
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
  await page.goBack();
  await expect(page).toHaveURL(href);
});

test('a HAR of 10 000 entries is searched, ordered, and walked with the keyboard', async ({ page }) => {
  await openHydrated(page, '/decode');
  await chooseFile(page, makeHar(10_000));
  const list = page.getByRole('list', { name: 'Flights', exact: true });
  await expect(page.getByRole('heading', { name: '10,000 flights in shop.har' })).toBeVisible();
  expect(await list.getByRole('listitem').count()).toBeLessThan(100);
  await list.getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: '/products/9999?' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('button', { name: '/products/9998?' })).toBeFocused();
  await page.getByRole('searchbox', { name: 'Path or status' }).fill('500');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('navigation');
  await expect(page.getByText('15 of 10,000')).toBeVisible();
  await page.getByRole('button', { name: 'Transferred', exact: true }).click();
  await expect(list.getByRole('button').first()).toContainText('/products/5009?');
  await page.getByRole('searchbox', { name: 'Path or status' }).fill('no such path');
  await expect(page.getByText('None of them matches.')).toBeVisible();
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
  await expect(page).toHaveURL(/\/decode\?file=\w+#row=2$/);
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
  await expect(page.getByRole('tab').last()).toBeFocused();
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

test('lists and comparisons are without axe violations, and 390 pixels are enough', async ({ page }) => {
  // Six analyses of pages with hundreds of elements.
  test.slow();
  async function check(name: string) {
    for (const [width, colorScheme] of [
      [1280, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page })
        .options({ rules: { 'target-size': { enabled: true } } })
        .analyze();
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
        `${name}, ${width}, ${colorScheme}`,
      ).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await openHydrated(page, '/decode');
  await chooseFile(page, makeHar(200));
  await expect(page.getByRole('heading', { name: '200 flights in shop.har' })).toBeVisible();
  await check('the flights of a HAR');
  await page.getByRole('checkbox').nth(0).check();
  await page.getByRole('checkbox').nth(4).check();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await expect(page.getByRole('list', { name: 'Differences' })).toBeVisible();
  await check('a comparison');
  await page.getByRole('button', { name: 'Decode another' }).click();
  await expect(openedFiles(page)).toBeVisible();
  await check('the opened files');
});

test(
  'without JavaScript the page says what to do instead',
  { tag: '@daily' },
  async ({ browser, baseURL, storageState }) => {
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
  },
);

test('a sample is one click away: real payloads of several frameworks', async ({ page }) => {
  await openHydrated(page, '/decode');
  const buttons = page.getByRole('group', { name: 'Samples' }).getByRole('button');
  const names = await buttons.allInnerTexts();
  expect(names.length).toBeGreaterThanOrEqual(3);
  for (const name of names) {
    await page.getByRole('button', { name, exact: true }).click();
    // Of a stream inside a document, its name stands behind it.
    await expect(page.getByRole('heading', { name: new RegExp(`^${name}(?::|$)`) })).toBeVisible();
    await expect(page.getByRole('tab', { name: 'Rows' })).toBeVisible();
    await page.getByRole('button', { name: 'Decode another' }).click();
  }
});
