import path from 'node:path';

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

import { operatorState } from './login-link.ts';
import { openHydrated, waitUntilHydrated } from './open-hydrated.ts';
import { pasteText } from './paste-text.ts';
import { expect, test } from './test.ts';

const fixtures = path.join(import.meta.dirname, '../packages/flight/fixtures');
const clientReferences = path.join(fixtures, 'react-19.3.1-production/client-refs.flight');
const bigTree = path.join(fixtures, 'react-19.3.1-production/bigtree.flight');
const wakuHome = path.join(fixtures, 'waku-1.0.0-rc.1-production/home-rsc.flight');

async function decodeFile(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) {
  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles(file);
}

async function decodeText(page: Page, text: string): Promise<void> {
  await openHydrated(page, '/decode');
  await pasteText(page, text);
}

function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole('tab', { name }).click();
}

/** Opens a complete flight of the streaming page that was recorded just now. */
async function openStreamed(page: Page): Promise<void> {
  const response = await page.goto('/lab/streaming');
  await response?.finished();
  await expect(page.getByText('Part 6 after 2400 ms.')).toBeVisible();
  await expect(async () => {
    await page.goto('/flights?kind=document&route=%2Flab%2Fstreaming');
    await page
      .getByRole('table', { name: 'Flights' })
      .getByRole('link', { name: '/lab/streaming' })
      .last()
      .click({ timeout: 1_000 });
    await expect(page.getByRole('heading', { level: 1 })).toContainText('/lab/streaming', { timeout: 1_000 });
  }).toPass();
  await waitUntilHydrated(page);
}

test('the tree of a recorded flight waits at first, and is whole at the end', async ({ page }) => {
  await openStreamed(page);
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  const waiting = tree.getByText(/waiting for row/);
  await expect(tree.getByRole('treeitem').first()).toBeVisible();
  await expect(waiting).toHaveCount(0);
  await page.getByRole('slider', { name: 'Time' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  for (let step = 0; step < 5 && (await waiting.count()) === 0; step++) await page.keyboard.press('ArrowRight');
  await expect(waiting.first()).toBeVisible();
  await expect(page).toHaveURL(/time=/);
  const early = await waiting.count();
  await page.keyboard.press('End');
  await expect(waiting).toHaveCount(0);
  expect(early).toBeGreaterThan(0);
  await tree.focus();
  await page.keyboard.press('ArrowDown');
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Rows' })).toHaveAttribute('aria-selected', 'true');
});

test('the findings of a recorded flight name the wait, first in the overview, and lead to its place', async ({
  page,
}) => {
  await openStreamed(page);
  const first = page.getByRole('region', { name: 'What stands out' });
  await expect(first.getByRole('listitem').first()).toContainText(/Suspense "6" showed its fallback for \d+ ms/);
  await expect(first.getByRole('listitem')).toHaveCount(3);
  await first.getByRole('link', { name: /All \d+ findings/ }).click();
  await expect(page.getByRole('tab', { name: 'Findings' })).toHaveAttribute('aria-selected', 'true');
  const wait = page.getByRole('listitem').filter({ hasText: 'Suspense "6" showed' });
  await wait.getByRole('button', { name: /Show/ }).click();
  await expect(page).toHaveURL(/#row=[0-9a-f]+&bytes=\d+-\d+$/);
  await expect(page.getByRole('region', { name: 'The decoded value' }).locator('[data-lit]')).toContainText('Suspense');
});

test('the map of the bytes opens and closes with keys, and adds up', async ({ page }) => {
  await decodeFile(page, bigTree);
  await openTab(page, 'Bytes');
  const trail = page.getByRole('navigation', { name: 'Where in the payload' });
  await expect(trail.getByRole('listitem')).toHaveText(['payload']);
  await page.getByRole('tree', { name: 'Map of payload' }).focus();
  await page.keyboard.press('Enter');
  await expect(trail.getByRole('listitem')).toHaveText(['payload', '<ul>']);
  const list = page.getByRole('tree', { name: 'Map of <ul>' });
  await expect(list).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  // The many small ones together, the list itself, then its items.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(list.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/<li>/);
  await page.keyboard.press('Escape');
  await expect(trail.getByRole('listitem')).toHaveText(['payload']);
  await page.getByRole('button', { name: 'By kind' }).click();
  const parts = page.getByRole('region', { name: 'Map of the bytes' }).getByRole('table');
  await expect(parts.getByRole('row', { name: /class names/ })).toBeVisible();
  const shares = await parts.getByRole('cell').filter({ hasText: '%' }).allInnerTexts();
  const sum = shares.reduce((total, share) => total + Number(/[\d.]+/.exec(share)?.[0]), 0);
  expect(Math.round(sum / 3)).toBe(33);
  await page.getByRole('button', { name: 'By element' }).click();
  await parts.getByRole('button', { name: /<li>/ }).click();
  await expect(parts.getByRole('row', { name: /className/ })).toBeVisible();
  await trail.getByRole('button', { name: 'payload' }).click();
  await page.getByRole('button', { name: 'By row' }).click();
  await expect(parts.getByRole('row', { name: /model/ })).toBeVisible();
});

test('what is sent twice is listed with what it wastes, and leads to both places', async ({ page }) => {
  const label = 'a label of some length that is there twice';
  const text = `0:["$","p",null,{"title":"${label}","children":"${label}"}]\n`;
  await decodeText(page, text);
  await openTab(page, 'Bytes');
  const twice = page.getByRole('region', { name: 'Sent more than once' });
  await expect(twice).toContainText(`${label.length + 2} B wasted`);
  for (const [name, at] of [
    ['first in p title', text.indexOf(`"${label}`)],
    ['again in p', text.lastIndexOf(`"${label}`)],
  ] as const) {
    await twice.getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`#row=0&bytes=${at}-${at + label.length + 2}$`));
    await openTab(page, 'Bytes');
  }
});

test('client modules say who uses them, and their files are only text', async ({ page }) => {
  await decodeFile(page, clientReferences);
  await openTab(page, 'Modules');
  const panel = page.getByRole('region', { name: '2 client modules' });
  const counter = panel.getByRole('row', { name: /Counter/ });
  await expect(counter).toContainText('2 elements, passed on once');
  await expect(counter).toContainText('/assets/client-module-with-long-path-abcdef.js');
  await counter.getByText('4 chunks').click();
  await expect(counter.getByText('/assets/chunk-2-abcdef0123456789.js')).toBeVisible();
  await expect(panel.getByRole('link', { name: /assets/ })).toHaveCount(0);
  await counter
    .getByRole('link', { name: /^row 0 at/ })
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'The decoded value' }).locator('[data-lit]')).toContainText('Counter');
});

test('a module that nothing uses is marked', async ({ page }) => {
  await decodeText(page, '1:I["a1",["/assets/a.js"],"Unused"]\n0:["$","p",null,{"children":"text"}]\n');
  await openTab(page, 'Modules');
  await expect(page.getByRole('row', { name: /Unused/ })).toContainText('not used');
});

test('where nothing stands out it is said what was looked for', async ({ page }) => {
  await decodeText(page, '0:["$","h1",null,{"children":"Hello"}]\n');
  await expect(page.getByRole('region', { name: 'Nothing stands out' })).toBeVisible();
  await openTab(page, 'Findings');
  const panel = page.getByRole('region', { name: 'Nothing stands out' });
  await expect(panel).toContainText('client modules that nothing uses');
  await expect(panel).toContainText('without times');
});

test('5 MB in 20 000 rows are counted in a worker, and the page answers meanwhile', async ({ page }) => {
  const rows = Array.from({ length: 20_000 }, (_, index) => index + 1);
  const lines = rows.map((row) => `${row.toString(16)}:["$","li","${row}",{"children":"${'x'.repeat(220)} ${row}"}]\n`);
  const children = rows.map((row) => `"$${row.toString(16)}"`).join(',');
  const buffer = Buffer.from(`${lines.join('')}0:["$","ul",null,{"children":[${children}]}]\n`);
  await decodeFile(page, { name: 'large.flight', mimeType: 'text/plain', buffer });
  await openTab(page, 'Bytes');
  const map = page.getByRole('tree', { name: /Map of/ });
  await expect(map).toBeVisible({ timeout: 30_000 });
  await map.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tree', { name: 'Map of <ul>' })).toBeVisible();
  await expect(page.getByRole('table').first()).toContainText(/19,?851 more/);
});

test('every panel is without axe violations, in light and dark, and 390 pixels are enough', async ({ page }) => {
  await decodeFile(page, wakuHome);
  for (const name of ['Overview', 'Tree', 'Bytes', 'Modules', 'Findings']) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await openTab(page, name);
    await expect(page.getByText('Counting')).toHaveCount(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
      expect(found, name).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(390);
  }
});

const tokenText = [
  '1:I["a1b2",["c1","counter.js"],"Counter"]',
  '2:[["Ada",36]]',
  '0:["$","main",null,{"children":["$","$L1",null,{"start":3,"ages":"$Q2"}]}]',
  '',
].join('\n');

async function openRawRow(page: Page): Promise<void> {
  await openHydrated(page, `/decode#text=${encodeURIComponent(tokenText)}&row=0`);
  await expect(page.getByRole('group', { name: 'Tokens of the row' })).toBeVisible();
}

test('each token of a raw row says what it is to the keyboard, and leads to its row and to the protocol', async ({
  page,
}) => {
  await openRawRow(page);
  const tokens = page.getByRole('group', { name: 'Tokens of the row' });
  const note = page.locator('.flight-note');
  await tokens.focus();
  await page.keyboard.press('ArrowRight');
  await expect(note).toContainText('row id');
  await expect(note).toContainText('Row 0 is the root.');
  await page.keyboard.press('End');
  await expect(note).toContainText('end of the row');
  while (!(await note.innerText()).includes('lazy reference')) await page.keyboard.press('ArrowLeft');
  await expect(note).toContainText('client Counter');
  await expect(tokens.getByRole('button', { name: '"$L1"' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(note).toHaveCount(0);
  await expect(tokens).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  await expect(note.getByRole('link', { name: 'row 1' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(note.getByRole('link', { name: 'More about it' })).toHaveAttribute('href', '/protocol#form-L');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /Row 1/ })).toBeVisible();
});

test('each token says what it is to the pointer, which may go into the note', async ({ page }) => {
  await openRawRow(page);
  const tokens = page.getByRole('group', { name: 'Tokens of the row' });
  const note = page.locator('.flight-note');
  await tokens.locator('[data-token="form"]', { hasText: '$Q2' }).hover();
  await expect(note).toContainText('Map');
  await expect(note).toContainText('The prop ages of <Counter>.');
  await note.hover();
  await expect(note.getByRole('link', { name: 'row 2' })).toBeVisible();
  const { violations } = await new AxeBuilder({ page })
    .include('.flight-detail')
    .options({ rules: { 'target-size': { enabled: true } } })
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(note).toHaveCount(0);
  await tokens.locator('[data-token="form"]', { hasText: '$L1' }).hover();
  await expect(note).toContainText('element type, a lazy reference');
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(note).toHaveCount(0);
});

test('a tap shows the note, another place closes it, and 390 pixels are enough', async ({ browser, baseURL }) => {
  const context = await browser.newContext({
    hasTouch: true,
    viewport: { width: 390, height: 800 },
    storageState: operatorState,
    ...(baseURL ? { baseURL } : {}),
  });
  const page = await context.newPage();
  await openRawRow(page);
  const tokens = page.getByRole('group', { name: 'Tokens of the row' });
  const note = page.locator('.flight-note');
  // A line may end within it: its first piece.
  await tokens.locator('[data-token="form"]').first().tap();
  await expect(note).toContainText('lazy reference');
  const box = await note.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  await tokens.locator('.flight-raw-offset').first().tap();
  await expect(note).toHaveCount(0);
  await context.close();
});

test('a row of 5 MB stays quick: its tokens are read where one looks', async ({ page }) => {
  const items = Array.from(
    { length: 60_000 },
    (_, index) => `["$","li","${index}",{"className":"item","children":"number ${index} of many"}]`,
  );
  const text = `0:[${items.join(',')}]\n`;
  expect(text.length).toBeGreaterThan(4_000_000);
  await decodeFile(page, { name: 'large.flight', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await openTab(page, 'Rows');
  await page.getByRole('listbox', { name: 'Rows' }).getByRole('option').first().click();
  const tokens = page.getByRole('group', { name: 'Tokens of the row' });
  await tokens.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('.flight-note')).toContainText('text, 20 characters');
  const steps = await tokens.evaluate(async (list) => {
    const began = performance.now();
    for (let step = 1; step <= 20; step++) {
      list.scrollTop = (list.scrollHeight / 21) * step;
      list.dispatchEvent(new Event('scroll'));
    }
    return (performance.now() - began) / 20;
  });
  // A frame has 16 ms; a busy machine gets more.
  expect(steps).toBeLessThan(100);
});
