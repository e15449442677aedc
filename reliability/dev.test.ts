import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { chromium, type Browser, type Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { waitUntilHydrated } from '../e2e/testing/open-hydrated.ts';
import { findInstalledBrowser } from '../scripts/find-browser.mjs';

import { developmentMarks } from './testing/development-marks.ts';
import { startDevServer, type DevServer } from './testing/start-dev-server.ts';

/** A page with a server component, a client component and a style sheet. A test can break each of them. */
const files = {
  'src/pages/tried.tsx': `
import { Tried } from '../tried/tried.tsx';
import '../tried/tried.css';
export default function TriedPage() {
  return <section data-testid="server">server one<Tried /></section>;
}
export async function getConfig() {
  return { render: 'dynamic' } as const;
}
`,
  'src/tried/tried.tsx': `'use client';
export function Tried() {
  return <button data-testid="client">client one</button>;
}
`,
  'src/tried/tried.css': `[data-testid="server"] {
  color: rgb(1, 1, 1);
}
`,
} as const;

type File = keyof typeof files;

type Breakage = {
  readonly file: File;
  readonly from: string;
  readonly to: string;
  /** The texts in the error page, the message first. */
  readonly shown: readonly [string, ...string[]];
};

const breakages: readonly Breakage[] = [
  {
    file: 'src/pages/tried.tsx',
    from: 'return <section',
    to: 'return (( <<< <section',
    shown: ['Unexpected token', 'src/pages/tried.tsx:5', 'return (( <<<'],
  },
  {
    file: 'src/tried/tried.tsx',
    from: 'return <button',
    to: 'return (( <<< <button',
    shown: ['Unexpected token', 'src/tried/tried.tsx:3', 'return (( <<<'],
  },
  {
    file: 'src/tried/tried.css',
    from: 'color: rgb(1, 1, 1);\n}',
    to: 'color: rgb(1, 1, 1);\n}}}',
    shown: ['Missing opening {', 'src/tried/tried.css:3', '> 3 | }}}'],
  },
];

const digestPattern = /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/;
/** A busy machine compiles slowly, and the first page compiles everything. */
const timeout = 60_000;

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startDevServer(files), launch()]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

/** The text of the error page, as soon as it shows all of `shown`. The old page must be gone by then. */
async function readError(page: Page, shown: Breakage['shown']): Promise<string> {
  const alert = page.getByRole('alert').filter({ hasText: shown[0] });
  await alert.waitFor({ timeout });
  const text = await alert.innerText();
  for (const part of shown) expect(text).toContain(part);
  expect(await page.getByTestId('server').count()).toBe(0);
  expect(text).toMatch(digestPattern);
  expect(text).not.toContain('\u001b');
  return text;
}

async function expectWhole(page: Page): Promise<void> {
  await page.getByTestId('client').waitFor({ timeout });
  await waitUntilHydrated(page);
  expect(await page.getByTestId('server').innerText()).toContain('server one');
  await page.waitForFunction(
    () => getComputedStyle(document.querySelector('[data-testid="server"]') ?? document.body).color === 'rgb(1, 1, 1)',
    undefined,
    { timeout },
  );
  expect(await page.getByRole('alert').count()).toBe(0);
}

function breakFile({ file, from, to }: Breakage): void {
  expect(files[file]).toContain(from);
  server.write(file, files[file].replace(from, to));
}

async function launch(): Promise<Browser> {
  const executablePath = findInstalledBrowser();
  return await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
}

async function openPage(target: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  page.setDefaultNavigationTimeout(timeout);
  await page.goto(`${server.origin}${target}`);
  return page;
}

test('an error of syntax takes the place of the page, with its code, and goes when the file is mended', async () => {
  const page = await openPage('/tried');
  await expectWhole(page);
  for (const breakage of breakages) {
    breakFile(breakage);
    try {
      const text = await readError(page, breakage.shown);
      // The same at a first load, in a window that does not know the page.
      const other = await openPage('/tried');
      await readError(other, breakage.shown);
      server.write(breakage.file, files[breakage.file]);
      await Promise.all([expectWhole(page), expectWhole(other)]);
      await other.close();
      await expectNoColours(text);
    } finally {
      // One broken module breaks every page.
      server.write(breakage.file, files[breakage.file]);
    }
  }
}, 180_000);

/** Checks what the log and the digest's page say about the error that `text` shows. */
async function expectNoColours(text: string): Promise<void> {
  const digest = digestPattern.exec(text)?.[0] ?? '';
  const line = server
    .output()
    .split('\n')
    .find((found) => found.includes(`"digest":"${digest.replace('-', '')}"`));
  expect(line).toContain('"event":"server-error"');
  const details = await (await fetch(`${server.origin}/digest/${digest}`)).text();
  expect(details).toContain(digest);
  const written = `${line}${details}`;
  for (const code of ['\u001b', String.raw`\u001b`, '[31m', '[0m']) expect(written.includes(code), code).toBe(false);
}

test('an error thrown while rendering is shown with its message and stack, in the document and after a navigation', async () => {
  async function expectCause(page: Page): Promise<void> {
    const cause = page.locator('[data-flight-cause]').filter({ hasText: 'canary-before-shell' });
    await cause.waitFor();
    expect(await cause.innerText()).toMatch(/Error: canary-before-shell[^]*throw-before-shell\.tsx/);
  }
  const document = await openPage('/lab/throw-before-shell');
  await expectCause(document);
  await document.close();

  const navigated = await openPage('/lab');
  await waitUntilHydrated(navigated);
  await navigated.getByRole('link', { name: 'Throw before the shell, by navigation' }).click();
  await expectCause(navigated);
}, 180_000);

test('the file that flights are saved in is built when somebody saves one', async () => {
  const page = await openPage('/decode');
  await waitUntilHydrated(page);
  await page.getByRole('button', { name: 'A page that failed' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as one file' }).click(),
  ]);
  const html = readFileSync(await download.path(), 'utf8');
  expect(html).toMatch(/id="flight-saved">[\w+/=]{200}/);
  expect(html).toMatch(/id="flight-viewer">[\w+/=]{100000}/);
}, 180_000);

test('the production build has nothing of it', () => {
  const dist = path.join(import.meta.dirname, '../dist');
  // What goes into another app is compiled there, in its development too. That app's build is looked at by waku-plugin.test.ts.
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(?:js|css|html|txt)$/.test(file) && !file.startsWith(path.join('waku', 'inside')),
  );
  expect(built.length).toBeGreaterThan(50);
  expect(built.filter((file) => developmentMarks.test(readFileSync(path.join(dist, file), 'utf8')))).toEqual([]);
});
