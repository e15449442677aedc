import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { startMainApp, type MainApp } from './main-app.ts';
import { median, show } from './samples.ts';

/**
 * The viewer in Chromium with flights of 5 and of 50 MB, opened at `/decode` as a person opens them: `npm run bench viewer`.
 *
 * - `shown`: from choosing the file until its numbers are painted. `findings`: until they are painted, too.
 * - Interactions: from the key or click until the next frame. The browser itself measures it (Event Timing, in steps of 8 ms,
 *   nothing below 16 reported). A tab's first opening also loads and runs its code.
 * - Memory, as multiples of the payload and less what the empty page has: JavaScript's objects and buffers. `held`: of the page
 *   when all is counted, after a garbage collection. `most`: of the page and its workers at any time until then, the same
 *   way. `left`: after the flight was closed, by opening a small one or by going to another page of the app.
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
const rowBytes = 280;

/** A long list: rows of elements with props, references, repeats and text beyond ASCII, and a root that names them all. */
function createPayload(megabytes: number): Buffer {
  const rowCount = Math.round((megabytes * 1e6) / rowBytes);
  const rows: string[] = ['1:I["src/components/counter.tsx",[],"Counter"]\n'];
  const ids = Array.from({ length: rowCount }, (_, index) => (index + 2).toString(16));
  for (const [index, id] of ids.entries()) {
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
          text: 'lorem ipsum dolor sit',
        },
      ],
    };
    rows.push(`${id}:${JSON.stringify(['$', 'li', String(index), props])}\n`);
  }
  const children = ids.map((id) => `$L${id}`);
  rows.push(`0:${JSON.stringify(['$', 'ul', null, { children }])}\n`);
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
    findings: () => document.querySelector('a[href="#tab=findings"]'),
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

type HeapUsage = { readonly usedSize: number; readonly backingStorageSize?: number };

function sumUsage({ usedSize, backingStorageSize = 0 }: HeapUsage): number {
  return usedSize + backingStorageSize;
}

/** Of the page alone: its workers have ended when their flight is counted. */
async function readHeld(page: Page, session: CDPSession): Promise<number> {
  if (page.workers().length > 0) throw new Error('A worker outlived the counting');
  // What finalizers free is gone after the second.
  for (let time = 0; time < 2; time++) await session.send('HeapProfiler.collectGarbage');
  return sumUsage(await session.send('Runtime.getHeapUsage'));
}

function readAnswer(message: string): HeapUsage | undefined {
  const answer: unknown = JSON.parse(message);
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) return undefined;
  const { result } = answer;
  if (typeof result !== 'object' || result === null || !('usedSize' in result)) return undefined;
  const backing = 'backingStorageSize' in result ? Number(result.backingStorageSize) : 0;
  return { usedSize: Number(result.usedSize), backingStorageSize: backing };
}

/** Asks page and workers for their memory all the time, without garbage. Workers answer while they compute. */
async function watchMemory(session: CDPSession): Promise<() => Promise<number>> {
  const workers = new Map<string, number>();
  let most = 0;
  let isOver = false;
  session.on('Target.attachedToTarget', ({ sessionId }) => workers.set(sessionId, 0));
  session.on('Target.detachedFromTarget', ({ sessionId }) => workers.delete(sessionId));
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
    const usage = readAnswer(message);
    if (usage && workers.has(sessionId)) workers.set(sessionId, sumUsage(usage));
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  async function watch() {
    for (let id = 1; !isOver; id++) {
      for (const method of ['HeapProfiler.collectGarbage', 'Runtime.getHeapUsage']) {
        const message = JSON.stringify({ id, method });
        for (const sessionId of workers.keys()) {
          // It may have ended meanwhile.
          await session
            .send('Target.sendMessageToTarget', { sessionId, message })
            .catch(() => workers.delete(sessionId));
        }
      }
      const own = sumUsage(await session.send('Runtime.getHeapUsage'));
      most = Math.max(most, own + [...workers.values()].reduce((sum, size) => sum + size, 0));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return most;
  };
}

type Input = { readonly file: string; readonly bytes: number };

async function choose(page: Page, file: string): Promise<void> {
  await page.getByLabel('A file to decode').setInputFiles(file);
  await page.locator('.flight-totals').waitFor({ timeout: 60_000 });
  await page.locator('a[href="#tab=findings"]').waitFor({ timeout: 120_000 });
}

/** The gzip size is the last to be counted; with it the worker ends. */
async function waitForWorkers(page: Page): Promise<void> {
  const end = Date.now() + 60_000;
  while (page.workers().length > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function openDecode(context: BrowserContext, app: MainApp): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(observe);
  await page.goto(`${app.origin}/decode`);
  await page.locator('textarea:enabled').waitFor();
  return page;
}

async function measureTimes(context: BrowserContext, app: MainApp, { file }: Input): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  const page = await openDecode(context, app);
  await choose(page, file);
  await waitForWorkers(page);
  const first = await takeTimings(page);
  for (const name of ['shown', 'findings']) results.set(name, first.find((one) => one.name === name)?.ms ?? Number.NaN);
  for (const { name, run } of steps) {
    await run(page);
    results.set(name, Math.max(0, ...(await takeTimings(page)).map(({ ms }) => ms)));
  }
  results.set('longest frame of scrolling', await scrollRows(page));
  await page.close();
  return results;
}

const small = { name: 'small.flight', mimeType: 'text/plain', buffer: Buffer.from('0:"small"\n') };

/** Ways to leave a flight, after which its memory is free. */
const leaves: readonly Step[] = [
  {
    name: 'left after another file',
    run: async (page) => {
      await page.getByRole('button', { name: 'Decode another' }).click();
      await page.getByLabel('A file to decode').setInputFiles(small);
      await page.getByRole('heading', { name: small.name }).waitFor();
    },
  },
  {
    name: 'left after another page',
    run: async (page) => {
      await page.getByRole('link', { name: 'About this recorder', exact: true }).click();
      await page.waitForURL('**/about');
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  },
];

async function measureMemory(context: BrowserContext, app: MainApp, input: Input): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (const leave of leaves) {
    const page = await openDecode(context, app);
    const session = await context.newCDPSession(page);
    const empty = await readHeld(page, session);
    const stop = await watchMemory(session);
    await choose(page, input.file);
    await waitForWorkers(page);
    results.set('most', ((await stop()) - empty) / input.bytes);
    results.set('held', ((await readHeld(page, session)) - empty) / input.bytes);
    await leave.run(page);
    results.set(leave.name, ((await readHeld(page, session)) - empty) / input.bytes);
    await page.close();
  }
  return results;
}

async function measureRound(context: BrowserContext, app: MainApp, input: Input): Promise<Map<string, number>> {
  return new Map([...(await measureTimes(context, app, input)), ...(await measureMemory(context, app, input))]);
}

function findGoal(name: string, goals: Goals): number {
  if (name === 'shown') return goals.shown;
  if (name === 'findings') return goals.findings;
  if (name === 'held' || name === 'most') return goals.memory;
  // Some of it is the code that was loaded meanwhile.
  return name.startsWith('left') ? 0.5 : goals.interaction;
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
      const results = await measureRound(context, app, { file, bytes: payload.length });
      // The first round also compiles the code.
      if (round >= 0) all.push(results);
    }
    console.log(`${(payload.length / 1e6).toFixed(2)} MB, ${rounds} rounds, Chromium ${browser.version()}`);
    console.table(
      Object.fromEntries(
        [...(all[0]?.keys() ?? [])].map((name) => {
          const values = all.map((results) => results.get(name) ?? Number.NaN);
          const isShare = /^(?:held|most|left)/.test(name);
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
