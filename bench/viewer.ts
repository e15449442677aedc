import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { startMainApp, type MainApp } from './main-app.ts';
import { median, show } from './samples.ts';

/**
 * The viewer in Chromium with flights of 5 and of 50 MB, opened at `/decode` as a person opens them: `npm run bench viewer`.
 *
 * - `shown`: from choosing the file until its numbers are painted. `findings`: until they are painted, too.
 * - Interactions: from the key or click until the next frame. The browser itself measures it (Event Timing, in steps of 8 ms,
 *   nothing below 16 reported). A tab's first opening also loads and runs its code.
 * - `held`: JavaScript's memory and buffers of the page and its workers, after the garbage collection, less that of the empty
 *   page. `most`: how much memory the tab's process ever had (the kernel's high-water mark; Linux alone), less what it had
 *   before. Both as multiples of the payload. `left`: held after the flight was closed.
 */
const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, megabytes: { type: 'string', multiple: true } },
});
const rounds = Number(flags.rounds);

type Goals = {
  readonly shown: number;
  readonly findings: number;
  readonly interaction: number;
  readonly memory: number;
};

const sizes: readonly { readonly megabytes: number; readonly goals: Goals }[] = [
  { megabytes: 5, goals: { shown: 1000, findings: 2000, interaction: 50, memory: 6 } },
  { megabytes: 50, goals: { shown: 5000, findings: Number.NaN, interaction: 50, memory: 6 } },
];
/** Of a row, on average. */
const rowBytes = 288;

/** Rows of elements with props, references, repeats and text beyond ASCII, as a long list has them. */
function createPayload(megabytes: number): Buffer {
  const rowCount = Math.round((megabytes * 1e6) / rowBytes);
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

/** Notes when a file is chosen, when its totals and findings are painted, and how long each interaction took. */
function observe(): void {
  const timings: Timing[] = [];
  Object.assign(globalThis, { benchTimings: timings });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) timings.push({ name: entry.name, ms: entry.duration });
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  const painted = {
    shown: () => document.querySelector('.flight-totals'),
    findings: () => document.querySelector('.flight-findings-first'),
  };
  document.addEventListener(
    'change',
    ({ target, timeStamp }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'file') return;
      const missing = new Map(Object.entries(painted));
      const observer = new MutationObserver(() => {
        for (const [name, find] of missing) {
          if (!find()) continue;
          missing.delete(name);
          requestAnimationFrame(() => setTimeout(() => timings.push({ name, ms: performance.now() - timeStamp })));
        }
        if (missing.size === 0) observer.disconnect();
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

function openTab(name: string, content: (page: Page) => ReturnType<Page['locator']>): Step {
  return {
    name: `open ${name}`,
    run: async (page) => {
      await page.getByRole('tab', { name }).click();
      await content(page).first().waitFor();
    },
  };
}

const steps: readonly Step[] = [
  openTab('Rows', (page) => page.locator('[role=option]')),
  { name: 'select a row', run: (page) => page.locator('[role=option]').nth(3).click() },
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
  openTab('Waterfall', (page) => page.getByRole('listbox', { name: 'Rows over time' })),
  {
    name: 'zoom and move',
    run: async (page) => {
      await page.getByRole('listbox', { name: 'Rows over time' }).focus();
      await press('+', '+', 'ArrowRight', 'End', 'Home', '0')(page);
    },
  },
  openTab('Tree', (page) => page.getByRole('treeitem')),
  {
    name: 'open and close in the tree',
    run: async (page) => {
      await page.getByRole('tree', { name: 'The tree' }).focus();
      await press('Home', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowLeft')(page);
    },
  },
  openTab('Bytes', (page) => page.getByRole('tree', { name: /Map of/ })),
  { name: 'open in the map', run: press('Tab', 'Tab', 'Enter', 'Escape') },
  openTab('Modules', (page) => page.getByRole('table')),
  openTab('Findings', (page) => page.locator('[role=tabpanel] li')),
  openTab('Overview', (page) => page.locator('.flight-totals')),
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

/** JavaScript's memory and buffers of a page. Its workers have ended when their flight is counted. */
async function readHeld(page: Page, session: CDPSession): Promise<number> {
  // A worker that is still there would not be counted.
  if (page.workers().length > 0) throw new Error('A worker outlived the counting');
  // What finalizers free is there at the second collection.
  for (let time = 0; time < 2; time++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  return usedSize + backingStorageSize;
}

/** The tab's process: the renderer with the most memory. */
async function findRenderer(browser: Browser): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const ids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  return ids.toSorted((a, b) => (readStatus(b, 'VmRSS') ?? 0) - (readStatus(a, 'VmRSS') ?? 0))[0];
}

function readStatus(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number | undefined {
  if (pid === undefined) return undefined;
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

type Input = { readonly file: string; readonly bytes: number };

async function choose(page: Page, file: string): Promise<void> {
  await page.locator('textarea:enabled').waitFor();
  await page.getByLabel('A file to decode').setInputFiles(file);
  await page.locator('.flight-totals').waitFor({ timeout: 60_000 });
  await page.locator('.flight-findings-first').waitFor({ timeout: 120_000 });
}

/** The gzip size is the last to be counted; with it the worker ends. */
async function waitForWorkers(page: Page): Promise<void> {
  const end = Date.now() + 60_000;
  while (page.workers().length > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function measureRound(browser: Browser, context: BrowserContext, app: MainApp, { file, bytes }: Input) {
  const results = new Map<string, number>();
  const page = await context.newPage();
  await page.addInitScript(observe);
  await page.goto(`${app.origin}/decode`);
  const session = await context.newCDPSession(page);
  const empty = await readHeld(page, session);
  const renderer = await findRenderer(browser);
  const before = readStatus(renderer, 'VmRSS');
  await choose(page, file);
  await waitForWorkers(page);
  const first = await takeTimings(page);
  for (const name of ['shown', 'findings']) results.set(name, first.find((one) => one.name === name)?.ms ?? Number.NaN);
  const most = readStatus(renderer, 'VmHWM');
  for (const { name, run } of steps) {
    await run(page);
    results.set(name, Math.max(0, ...(await takeTimings(page)).map(({ ms }) => ms)));
  }
  results.set('longest frame of scrolling', await scrollRows(page));
  results.set('held', ((await readHeld(page, session)) - empty) / bytes);
  results.set('most', most === undefined || before === undefined ? Number.NaN : (most - before) / bytes);
  await page.getByRole('button', { name: 'Decode another' }).click();
  await page.locator('textarea:enabled').waitFor();
  results.set('left', ((await readHeld(page, session)) - empty) / bytes);
  await page.close();
  return results;
}

function findGoal(name: string, goals: Goals): number {
  if (name === 'shown') return goals.shown;
  if (name === 'findings') return goals.findings;
  if (name === 'held' || name === 'most') return goals.memory;
  // Some of it is the code that was loaded meanwhile.
  return name === 'left' ? 0.5 : goals.interaction;
}

async function measure(app: MainApp, folder: string, { megabytes, goals }: (typeof sizes)[number]): Promise<void> {
  const payload = createPayload(megabytes);
  const file = path.join(folder, `${megabytes}.flight`);
  writeFileSync(file, payload);
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
      const results = await measureRound(browser, context, app, { file, bytes: payload.length });
      // The first round also compiles the code.
      if (round >= 0) all.push(results);
    }
    console.log(`${(payload.length / 1e6).toFixed(2)} MB, ${rounds} rounds, Chromium ${browser.version()}`);
    console.table(
      Object.fromEntries(
        [...(all[0]?.keys() ?? [])].map((name) => {
          const values = all.map((results) => results.get(name) ?? Number.NaN);
          const isShare = name === 'held' || name === 'most' || name === 'left';
          const goal = findGoal(name, goals);
          const result = median(values);
          return [
            isShare ? `${name}, × the payload` : `${name}, ms`,
            {
              median: show(result, isShare ? 2 : 0),
              worst: show(Math.max(...values), isShare ? 2 : 0),
              goal: Number.isNaN(goal) ? '' : `≤ ${goal}`,
              met: Number.isNaN(goal) || Number.isNaN(result) ? '' : result <= goal ? 'yes' : 'NO',
            },
          ];
        }),
      ),
    );
  } finally {
    await browser.close();
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'flight-viewer-'));
const app = await startMainApp(path.join(import.meta.dirname, '..'));
try {
  const wanted = flags.megabytes?.map(Number);
  for (const size of sizes) if (!wanted || wanted.includes(size.megabytes)) await measure(app, folder, size);
} finally {
  await app.stop();
  rmSync(folder, { recursive: true });
}
