import { readFileSync } from 'node:fs';
import path from 'node:path';

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

import { writeFlightFile } from '#flight';

import { operatorState } from './testing/login-link.ts';
import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { pasteText } from './testing/paste-text.ts';
import { expect, test } from './testing/test.ts';

const fixtures = path.join(import.meta.dirname, '../packages/flight/fixtures');
const clientReferences = path.join(fixtures, 'react-19.3.1-production/client-refs.flight');
const bigTree = path.join(fixtures, 'react-19.3.1-production/bigtree.flight');
const nextCached = path.join(fixtures, 'next-16.4.6-cache-components/about.rsc');
const development = path.join(fixtures, 'react-19.3.1-development/waits.flight');
const values = path.join(fixtures, 'react-19.3.1-production/values.flight');
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
    await page.goto('/flights?own=1&kind=document&route=%2Flab%2Fstreaming');
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

test('a recorded flight is played: what comes is lit and in view, it can be paused, and it ends with everything', async ({
  page,
}) => {
  await openStreamed(page);
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  const time = page.getByRole('slider', { name: 'Time' });
  const last = Number(await time.getAttribute('max'));
  await expect(time).toHaveValue(String(last));
  await page.getByLabel('Speed').selectOption('0.1×');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(page).toHaveURL(/time=/);
  const fresh = tree.locator('[data-fresh]').first();
  await expect(fresh).toBeInViewport();
  await page.getByRole('button', { name: 'Pause' }).click();
  const paused = await time.inputValue();
  expect(Number(paused)).toBeLessThan(last);
  await expect(tree.locator('[data-fresh]')).toHaveCount(0);
  await expect(time).toHaveValue(paused);
  await page.getByLabel('Speed').selectOption('16×');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(time).toHaveValue(String(last));
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  await expect(page).not.toHaveURL(/time=/);
  await expect(tree.getByText(/waiting for row/)).toHaveCount(0);
});

test('a flight without times is played by its bytes, and says so', async ({ page }) => {
  await decodeText(
    page,
    '0:["$L1","$L2"]\n1:["$","p",null,{"children":"first"}]\n2:["$","p",null,{"children":"last"}]\n',
  );
  await openTab(page, 'Tree');
  await expect(page.getByText('It came without times: it is played by its bytes')).toBeVisible();
  const time = page.getByRole('slider', { name: 'Time' });
  await time.focus();
  await page.keyboard.press('Home');
  const tree = page.getByRole('tree', { name: 'The tree' });
  await expect(tree.getByText('waiting for row')).toHaveCount(2);
  await expect(page.getByText(/At \d+ B: 1 of 3 rows had come/)).toBeVisible();
  await page.getByLabel('Speed').selectOption('16×');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(tree.getByText('"last"')).toBeVisible();
  await expect(tree.getByText('waiting for row')).toHaveCount(0);
});

test('the tree of Next.js goes on in its Map, and a search leads from hit to hit', async ({ page }) => {
  await decodeFile(page, nextCached);
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  await expect(tree.getByText('Map(1)').first()).toBeVisible();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search the tree' });
  await expect(search).toBeFocused();
  await search.fill('about');
  await expect(page.getByText(/^\d+ found$/)).toBeVisible();
  const count = Number.parseInt(await page.getByText(/^\d+ found$/).innerText(), 10);
  expect(count).toBeGreaterThan(1);
  const chosen = tree.getByRole('treeitem', { selected: true });
  for (let hit = 1; hit <= count; hit++) {
    await page.keyboard.press('Enter');
    await expect(page.getByText(`${hit} of ${count}`, { exact: true })).toBeVisible();
    await expect(chosen).toContainText(/about/i);
    await expect(chosen).toBeInViewport();
  }
  await page.keyboard.press('Enter');
  await expect(page.getByText(`1 of ${count}`, { exact: true })).toBeVisible();
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByText(`${count} of ${count}`, { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(search).toHaveValue('');
});

test('a list of 10,000 says what it hides, shows the next thousand, and End goes to the last', async ({ page }) => {
  const items = Array.from({ length: 10_000 }, (_, index) => `["$","li","${index}",{"children":"item ${index}"}]`);
  const buffer = Buffer.from(`0:["$","ul",null,{"children":[${items.join(',')}]}]\n`);
  await decodeFile(page, { name: 'list.flight', mimeType: 'text/plain', buffer });
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  await tree.focus();
  await page.keyboard.press('End');
  const chosen = tree.getByRole('treeitem', { selected: true });
  await expect(chosen).toHaveAttribute('aria-posinset', '10000');
  await expect(chosen).toContainText('key="9999"');
  await expect(chosen).toBeInViewport();
  // 50 are shown before it; a page is twelve lines.
  for (let turn = 0; turn < 4; turn++) await page.keyboard.press('PageUp');
  for (let turn = 0; turn < 3; turn++) await page.keyboard.press('ArrowUp');
  await expect(chosen).toHaveText('9,749 more: show 1,000');
  await page.keyboard.press('Enter');
  await expect(chosen).toContainText('key="200"');
  await page.keyboard.press('ArrowUp');
  await expect(chosen).toContainText('key="199"');
  await openTab(page, 'Rows');
  await page.getByRole('listbox', { name: 'Rows', exact: true }).getByRole('option').first().click();
  const value = page.getByRole('region', { name: 'The decoded value' });
  await value.focus();
  await page.keyboard.press('End');
  await expect(value.locator('[data-lit]')).toContainText('<li key="9999">');
});

test('what is in a Map, a Set and an iterator of other rows opens in Rows, by keyboard', async ({ page }) => {
  await decodeFile(page, values);
  await openTab(page, 'Rows');
  await page.getByRole('option', { name: /nan, inf/ }).click();
  const value = page.getByRole('region', { name: 'The decoded value' });
  const lit = value.locator('[data-lit]');
  for (const [kind, member] of [
    ['Map(', '"a"'],
    ['Set(', '0'],
    ['Iterator(', '0'],
  ] as const) {
    await value.getByText(kind).click();
    await value.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(lit).toContainText(member);
    await expect(page).toHaveURL(/#row=0&bytes=/);
    await page.keyboard.press('ArrowLeft');
    await expect(lit).toContainText(kind);
    await page.keyboard.press('ArrowLeft');
  }
});

test('development’s tree names the component and the source of its lines', async ({ page }) => {
  await decodeFile(page, development);
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  await expect(tree.getByText('<Layout> (app/page.js:3)').first()).toBeVisible();
});

test('a link to a row far down scrolls to it and lights it, whatever the page does above', async ({ page }) => {
  const rows = Array.from({ length: 5000 }, (_, index) => `${(index + 1).toString(16)}:"text ${index}"`);
  const text = `${rows.join('\n')}\n0:["$${(4000).toString(16)}"]\n`;
  await page.setViewportSize({ width: 1280, height: 600 });
  await openHydrated(page, `/decode#row=${(4000).toString(16)}`);
  await page
    .getByLabel('A file to decode')
    .setInputFiles({ name: 'long.flight', mimeType: 'text/plain', buffer: Buffer.from(text) });
  const row = page.locator('[role=option][aria-selected=true]');
  await expect(row).toContainText('text 3999');
  await expect(row).toBeInViewport();
  // Something above grows, as findings that have been counted do.
  await page.evaluate(() =>
    document.querySelector('main')?.prepend(Object.assign(document.createElement('div'), { style: 'height: 900px' })),
  );
  await expect(row).toBeInViewport();
  await page.evaluate(() => document.querySelector('main')?.firstElementChild?.remove());
  await page.getByRole('listbox', { name: 'Rows', exact: true }).focus();
  await page.keyboard.press('End');
  const lit = page.locator('[data-linked]').waitFor();
  await page.getByRole('region', { name: 'The decoded value' }).getByRole('link', { name: 'row fa0' }).click();
  await lit;
  await expect(row).toContainText('text 3999');
  await expect(row).toBeInViewport();
});

test(
  'the findings of a recorded flight name the wait, first in the overview, and lead to its place',
  { tag: '@daily' },
  async ({ page }) => {
    await openStreamed(page);
    const first = page.getByRole('region', { name: 'What stands out' });
    await expect(first.getByRole('listitem').first()).toContainText(
      /Suspense "5" and Suspense "6" showed their fallbacks for [\d.]+ s to 2\.\d+ s/,
    );
    await first.getByRole('link', { name: /All \d+ findings/ }).click();
    await expect(page.getByRole('tab', { name: 'Findings' })).toHaveAttribute('aria-selected', 'true');
    const wait = page
      .getByRole('region', { name: /^Waits?$/ })
      .getByRole('listitem')
      .filter({ hasText: 'Suspense "6" showed' });
    await wait.getByText(/^\d+ parts, the largest /).click();
    await expect(wait.getByRole('link', { name: 'Suspense "6", until <p>' })).toBeVisible();
    await wait.getByRole('button', { name: /^Show/ }).press('Enter');
    await expect(page.getByRole('tabpanel')).toBeFocused();
    await expect(page).toHaveURL(/#row=[0-9a-f]+&bytes=\d+-\d+$/);
    await expect(page.getByRole('region', { name: 'The decoded value' }).locator('[data-lit]')).toContainText(
      'Suspense',
    );
  },
);

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
  await expect(list.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^<li> × \d+/);
  await page.keyboard.press('Enter');
  await expect(trail.getByRole('listitem')).toHaveText(['payload', '<ul>', /^<li> × \d+/]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(trail.getByRole('listitem')).toHaveText(['payload']);
  await page.getByRole('button', { name: 'By kind' }).click();
  const parts = page.getByRole('region', { name: 'Map of the bytes' }).getByRole('table');
  await expect(parts.getByRole('row', { name: /class names/ })).toBeVisible();
  const shares = await parts.getByRole('cell').filter({ hasText: '%' }).allInnerTexts();
  const sum = shares.reduce((total, share) => total + Number(/[\d.]+/.exec(share)?.[0]), 0);
  expect(Math.round(sum / 3)).toBe(33);
  await page.getByRole('button', { name: 'By name' }).click();
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
  await expect(twice).toContainText(`${label.length + 2} B repeated`);
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
  await counter.getByText('2 chunks').click();
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
  await expect(page.getByRole('region', { name: 'Nothing to act on' })).toBeVisible();
  await openTab(page, 'Findings');
  const panel = page.getByRole('region', { name: 'Nothing to act on' });
  await expect(panel).toContainText('what only a development server sends');
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
  const parts = page.getByRole('table').first();
  await parts.getByRole('button', { name: '<li> × 20,000' }).click();
  await expect(parts.getByRole('row', { name: /text × 20,000/ })).toBeVisible();
  await page.getByRole('button', { name: 'one by one' }).click();
  await expect(page.getByRole('button', { name: 'Show all 20' })).toBeVisible();
  await parts.getByRole('button', { name: '1 to 1,000', exact: true }).click();
  await parts.getByRole('button', { name: '1 to 100', exact: true }).click();
  await expect(parts.getByRole('button', { name: '<li>' })).toHaveCount(10);
});

test('the overview says what the bytes are, in the words of the terminal, and leads to where they are', async ({
  page,
}) => {
  await decodeFile(page, bigTree);
  const kinds = page.getByRole('list', { name: 'What the bytes are' });
  await expect(kinds.getByRole('link').first()).toBeVisible();
  const names = await kinds.getByRole('link').allInnerTexts();
  expect(names.map((name) => name.replace(/\s*[\d<].*$/s, '')).toSorted()).toEqual(
    ['class names', 'structure and keys', 'text'].toSorted(),
  );
  await kinds.getByRole('link', { name: 'class names' }).click();
  await expect(page.getByRole('tab', { name: 'Bytes' })).toHaveAttribute('aria-selected', 'true');
  const trail = page.getByRole('navigation', { name: 'Where in the payload' });
  await expect(trail.getByRole('listitem')).toHaveText(['payload', 'class names']);
  await expect(page.getByRole('button', { name: 'By kind' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('tree', { name: 'Map of class names' })).toBeVisible();
});

/** A payload of a development server with its times, as a file that this app exports. */
function exportTimed(): { name: string; mimeType: string; buffer: Buffer } {
  const body = new Uint8Array(readFileSync(path.join(fixtures, 'react-19.3.1-development/waits.flight')));
  const [first, second] = [1462, 956];
  const sizes = [first, second, body.length - first - second];
  const text = writeFlightFile({
    facts: {
      requestId: 'r',
      traceId: 't',
      visit: null,
      kind: 'navigation',
      method: 'GET',
      path: '/shop',
      query: [],
      route: '/shop',
      build: 'b',
      status: 200,
      rendering: 'dynamic',
      outcome: 'complete',
      startedAt: '2026-11-22T07:00:00.000Z',
      firstByteMs: 60,
      durationMs: 565,
      bytes: body.length,
      digests: [],
      action: null,
      hits: 1,
      lastAt: null,
    },
    content: 'flight',
    chunks: sizes.map((bytes, index) => [[60, 405, 565][index] ?? 0, bytes]),
    body,
    debug: null,
    elements: [],
    elided: [],
    arguments: null,
  });
  return { name: 'shop.json', mimeType: 'application/json', buffer: Buffer.from(text) };
}

test('the waterfall has one axis, says what was waited for, and where a row is from', async ({ page }) => {
  await decodeFile(page, exportTimed());
  await openTab(page, 'Waterfall');
  await expect(page.getByText('2 Suspense boundaries waited noticeably, for 2 rows.')).toBeVisible();
  const edges = await page.evaluate(() =>
    ['.flight-chart > svg', '.flight-axis-ticks', '.flight-lane-track', '.flight-grid-track'].map((selector) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box && [box.left, box.right].map(Math.round);
    }),
  );
  expect(new Set(edges.map(String)).size, JSON.stringify(edges)).toBe(1);
  await expect(page.getByText('all that had come, of 3.32 kB')).toBeVisible();
  const lanes = page.getByRole('listbox', { name: 'Rows over time' });
  await expect(lanes.getByRole('option')).toHaveCount(2);
  await expect(lanes.getByRole('option').first()).toContainText('Suspense "reviews"');
  await lanes.getByRole('option').first().hover();
  const readout = page.locator('.flight-lane-readout');
  await expect(readout).toContainText('<ul> from <Reviews>');
  await expect(readout).toContainText('Suspense "reviews" had come at 60 ms and waited 345 ms for it');
  await page.getByRole('link', { name: 'f', exact: true }).click();
  await expect(lanes.getByRole('option', { selected: true })).toContainText('<aside>');
  await openTab(page, 'Findings');
  await expect(page.getByRole('listitem').filter({ hasText: '505 ms' })).toContainText('Suspense');
});

test('the waterfall is zoomed by dragging over it, and with keys, and Escape leaves', async ({ page }) => {
  await decodeFile(page, exportTimed());
  await openTab(page, 'Waterfall');
  const lanes = page.getByRole('listbox', { name: 'Rows over time' });
  const whole = page.getByRole('button', { name: 'Everything' });
  const ticks = page.locator('.flight-axis-ticks');
  await expect(ticks).toContainText('500 ms');
  await expect(whole).toBeDisabled();
  const box = await page.locator('.flight-axis-ticks').boundingBox();
  const lane = await lanes.getByRole('option').first().boundingBox();
  if (!box || !lane) throw new Error('no picture');
  async function drag(fromShare: number, toShare: number) {
    if (!box || !lane) return;
    await page.mouse.move(box.x + box.width * fromShare, lane.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, lane.y + 9);
    await page.mouse.move(box.x + box.width * toShare, lane.y + 9);
  }
  await drag(0.6, 0.8);
  await expect(page.locator('.flight-grid-chosen')).toBeVisible();
  await expect(page.locator('.flight-lane-readout')).toContainText(
    /^From 3\d\d ms to 4\d\d ms: 956 B, \d+ rows complete/,
  );
  await page.mouse.up();
  await expect(page.locator('.flight-grid-chosen')).toHaveCount(0);
  await expect(ticks).not.toContainText('100 ms');
  await expect(ticks).toContainText('400 ms');
  // The drag selected no row, and began no view at a time.
  await expect(lanes.getByRole('option', { selected: true })).toHaveCount(0);
  await expect(page).not.toHaveURL(/time=/);
  await lanes.focus();
  await page.keyboard.press('Escape');
  await expect(whole).toBeDisabled();
  await drag(0.6, 0.8);
  await page.keyboard.press('Escape');
  await expect(page.locator('.flight-grid-chosen')).toHaveCount(0);
  await page.mouse.up();
  await expect(whole).toBeDisabled();
  await lanes.getByRole('option').first().click();
  await expect(lanes.getByRole('option', { selected: true })).toHaveCount(1);
  await page.keyboard.press('z');
  await expect(ticks).not.toContainText('500 ms');
  await whole.click();
  await expect(ticks).toContainText('500 ms');
});

for (const name of ['Overview', 'Waterfall', 'Tree', 'Bytes', 'Modules', 'Findings']) {
  test(`the panel ${name} is without axe violations, in light and dark, and 390 pixels are enough`, async ({
    page,
  }) => {
    await decodeFile(page, wakuHome);
    await page.setViewportSize({ width: 1280, height: 800 });
    await openTab(page, name);
    await expect(page.getByText('Counting')).toHaveCount(0);
    const rules = { 'target-size': { enabled: true } };
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).options({ rules }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
}

test('on a phone deep lines of the tree still show their names, and everything pressed is large enough', async ({
  page,
}) => {
  const deep = `${'["$","section",null,{"children":'.repeat(30)}"the innermost"${'}]'.repeat(30)}`;
  await page.setViewportSize({ width: 390, height: 844 });
  await decodeText(page, `0:${deep}\n`);
  await openTab(page, 'Tree');
  const tree = page.getByRole('tree', { name: 'The tree' });
  await tree.focus();
  await page.keyboard.press('End');
  const name = tree.getByText('the innermost');
  await expect(name).toBeInViewport();
  expect((await name.boundingBox())?.x).toBeLessThan(140);
  for (const tab of ['Tree', 'Rows']) {
    await openTab(page, tab);
    const rows = page.getByRole('listbox', { name: 'Rows', exact: true });
    if (tab === 'Rows') await rows.getByRole('option').first().click();
    const { violations } = await new AxeBuilder({ page })
      .include('[role=tabpanel]')
      .withRules(['target-size'])
      .analyze();
    expect(
      violations.flatMap(({ nodes }) => nodes.map((node) => node.html)),
      tab,
    ).toEqual([]);
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
  const note = page.locator('.flight-token-note');
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
  const note = page.locator('.flight-token-note');
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
  const note = page.locator('.flight-token-note');
  // A line may end within it: its first piece.
  await tokens.locator('[data-token="form"]').first().tap();
  await expect(note).toContainText('lazy reference');
  const box = await note.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  await tokens.locator('.flight-raw-offset').first().tap();
  await expect(note).toHaveCount(0);
  await context.close();
});

test('of a row of 5 MB the tokens are read where one looks', async ({ page }) => {
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
  await expect(page.locator('.flight-token-note')).toContainText('text, 20 characters');
  // What is on the screen, not sixty thousand elements.
  expect(await tokens.getByRole('button').count()).toBeLessThan(1_000);
});
