import path from 'node:path';
import { parseArgs } from 'node:util';

import { chromium, type BrowserContext, type Page } from 'playwright';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { startMainApp, type MainApp } from './main-app.ts';
import { median, show } from './samples.ts';

/**
 * The viewer in Chromium with a flight of 5 MB in 20 000 rows: `npm run bench viewer`. It measures how long it takes
 * from choosing the file until its numbers are on the screen, and from each interaction until the next frame. The
 * browser itself measures the latter (Event Timing, in steps of 8 ms, nothing below 16 reported).
 */
const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(flags.rounds);
const rowCount = 20_000;
const goals = { shown: 1500, interaction: 100 };

function createPayload(): Buffer {
  const rows: string[] = ['1:I["src/components/counter.tsx",[],"Counter"]\n'];
  for (let index = 2; index < rowCount; index++) {
    const props = {
      className: 'flex items-center gap-2 border-b px-4 py-2',
      'data-index': index,
      title: `Item ${index}, with a "quoted" word`,
      children: [
        '$',
        '$L1',
        null,
        {
          start: index,
          label: `Item ${index}`,
          tags: ['new', 'sale', 'façade'],
          next: `$L${(index + 1).toString(16)}`,
          text: 'lorem ipsum dolor sit',
        },
      ],
    };
    rows.push(`${index.toString(16)}:${JSON.stringify(['$', 'li', String(index), props])}\n`);
  }
  rows.push(`${rowCount.toString(16)}:null\n0:["$","ul",null,{"children":"$L2"}]\n`);
  return Buffer.from(rows.join(''));
}

type Timing = { readonly name: string; readonly ms: number };

/** Notes when a file is chosen, when its totals are painted, and how long each interaction took. */
function observe(): void {
  const timings: Timing[] = [];
  Object.assign(globalThis, { benchTimings: timings });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) timings.push({ name: entry.name, ms: entry.duration });
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  document.addEventListener(
    'change',
    ({ target, timeStamp }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'file') return;
      const observer = new MutationObserver(() => {
        if (!document.querySelector('.flight-totals')) return;
        observer.disconnect();
        requestAnimationFrame(() =>
          setTimeout(() => timings.push({ name: 'shown', ms: performance.now() - timeStamp })),
        );
      });
      observer.observe(document.body, { childList: true, subtree: true });
    },
    true,
  );
}

async function takeTimings(page: Page): Promise<Timing[]> {
  // Event timings are reported after their frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 60))));
  return page.evaluate(() => {
    const all: unknown = Reflect.get(globalThis, 'benchTimings');
    return Array.isArray(all) ? all.splice(0) : [];
  });
}

type Step = { readonly name: string; readonly run: (page: Page) => Promise<void> };

const press =
  (...keys: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };

const steps: readonly Step[] = [
  { name: 'open the rows', run: (page) => page.getByRole('tab', { name: 'Rows' }).click() },
  { name: 'select a row', run: (page) => page.getByRole('option').nth(3).click() },
  { name: 'move by rows', run: press('Tab', ...Array.from({ length: 20 }, () => 'ArrowDown')) },
  { name: 'jump to the end and back', run: press('End', 'PageUp', 'Home', 'End') },
  {
    name: 'search while typing',
    run: async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('searchbox').pressSequentially('item 1999');
    },
  },
  { name: 'next match', run: press('Enter', 'Enter', 'Enter') },
  { name: 'open the waterfall', run: (page) => page.getByRole('tab', { name: 'Waterfall' }).click() },
  {
    name: 'zoom and move',
    run: async (page) => {
      await page.getByRole('listbox', { name: 'Rows over time' }).focus();
      await press('+', '+', 'ArrowRight', 'End', 'Home', '0')(page);
    },
  },
  { name: 'open the overview', run: (page) => page.getByRole('tab', { name: 'Overview' }).click() },
];

/** Scrolls the rows from top to bottom, a frame at a time. @returns the longest frame, in milliseconds */
async function scrollRows(page: Page): Promise<number> {
  await page.getByRole('tab', { name: 'Rows' }).click();
  return page.getByRole('listbox', { name: 'Rows', exact: true }).evaluate(async (list) => {
    let longest = 0;
    let before = await new Promise<number>(requestAnimationFrame);
    for (let step = 0; step <= 60; step++) {
      list.scrollTop = (list.scrollHeight * step) / 60;
      const now = await new Promise<number>(requestAnimationFrame);
      longest = Math.max(longest, now - before);
      before = now;
    }
    return longest;
  });
}

async function measureRound(context: BrowserContext, app: MainApp, buffer: Buffer): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  const page = await context.newPage();
  await page.addInitScript(observe);
  await page.goto(`${app.origin}/decode`);
  await page.locator('textarea:enabled').waitFor();
  await page.getByLabel('A file to decode').setInputFiles({ name: 'large.flight', mimeType: 'text/plain', buffer });
  await page.locator('.flight-totals').waitFor();
  const shown = (await takeTimings(page)).find(({ name }) => name === 'shown');
  if (!shown) throw new Error('The totals were there, but nothing noted when');
  results.set('shown', shown.ms);
  for (const { name, run } of steps) {
    await run(page);
    results.set(name, Math.max(0, ...(await takeTimings(page)).map(({ ms }) => ms)));
  }
  results.set('longest frame of scrolling', await scrollRows(page));
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  results.set('memory, MB', (usedSize + backingStorageSize) / 1e6);
  await page.close();
  return results;
}

const buffer = createPayload();
const app = await startMainApp(path.join(import.meta.dirname, '..'));
const executablePath = findInstalledBrowser();
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const context = await browser.newContext({
    extraHTTPHeaders: Object.fromEntries(app.headers.map((header) => header.split(': '))),
    viewport: { width: 1280, height: 900 },
  });
  const all: Map<string, number>[] = [];
  for (let round = -1; round < rounds; round++) {
    const results = await measureRound(context, app, buffer);
    // The first round also compiles the code.
    if (round >= 0) all.push(results);
  }
  console.log(
    `${(buffer.length / 1e6).toFixed(2)} MB in ${rowCount + 1} rows, ${rounds} rounds, Chromium ${browser.version()}`,
  );
  console.log(`goals: shown in ${goals.shown} ms, interactions in ${goals.interaction} ms; 0 is below 16 ms`);
  console.table(
    Object.fromEntries(
      [...(all[0]?.keys() ?? [])].map((name) => {
        const values = all.map((results) => results.get(name) ?? Number.NaN);
        return [name, { median: show(median(values), 0), worst: show(Math.max(...values), 0) }];
      }),
    ),
  );
} finally {
  await browser.close();
  await app.stop();
}
