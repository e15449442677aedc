import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { chromium, type Browser, type Locator, type Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { waitUntilHydrated } from '../e2e/testing/open-hydrated.ts';
import { findInstalledBrowser } from '../scripts/find-browser.mjs';

import { startDevServer, type DevServer } from './testing/start-dev-server.ts';

/** A busy machine compiles slowly, and the first page compiles everything. */
const timeout = 120_000;

/** With a space, as folders of people have it. */
const folder = mkdtempSync(path.join(tmpdir(), 'flight recorder lab-'));

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  const executablePath = findInstalledBrowser();
  [server, browser] = await Promise.all([
    startDevServer({}, { command: ['scripts/lab.mjs', folder] }),
    chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] }),
  ]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function save(file: string, text: string): void {
  writeFileSync(path.join(folder, file), text);
}

const example = readFileSync(path.join(import.meta.dirname, '../src/lab/list/example/hello.tsx'), 'utf8');

/** A client component in a file beside it, with state that a reload would lose. */
const counter = `'use client';
import { useState } from 'react';
export function Counter() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>pressed {count}</button>;
}
`;

/** A client component that knows what to do with a promise that is rejected. */
const given = `'use client';
import { useEffect, useState } from 'react';
export function Given({ late }) {
  const [text, setText] = useState('it is on its way');
  useEffect(() => void late.then(() => setText('it came'), () => setText('it was rejected')), [late]);
  return <p>{text}</p>;
}
`;

function withGiven(text: string): string {
  return text
    .replace(
      "import { Counter } from './counter';",
      "import { Counter } from './counter';\nimport { Given } from './given';",
    )
    .replace('<Counter />', "<Counter /><Given late={Promise.reject(new Error('canary-of-a-promise'))} />");
}

function withCounter(text: string): string {
  return text
    .replace(
      "import { Suspense } from 'react';",
      "import { Suspense } from 'react';\nimport { Counter } from './counter';",
    )
    .replace('<p>Hello from the server.</p>', '<p>Hello from the server.</p><Counter />');
}

async function open(target: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  page.setDefaultNavigationTimeout(timeout);
  await page.goto(`${server.origin}${target}`);
  await waitUntilHydrated(page);
  return page;
}

async function expectSaves(strip: Locator, count: number, text: RegExp): Promise<void> {
  await strip.filter({ hasText: text }).waitFor();
  expect(await strip.locator('ol > li').count()).toBe(count);
}

test(
  'an empty folder shows how to begin; each save is measured; a broken one leaves the last good one',
  { timeout: 6 * timeout },
  async () => {
    const list = await open('/lab');
    await list.getByRole('heading', { name: /^No experiment in flight recorder lab-/ }).waitFor();
    await list.getByText('Hello from the server.').first().waitFor();

    save('hello.tsx', example);
    await list.getByRole('link', { name: 'Hello', exact: true }).waitFor();

    const page = await open('/lab/hello');
    const strip = page.locator('[data-flight-saves]');
    await expectSaves(strip, 1, /with gzip\. Save the file/);

    // A client component of the folder: one module more, found without a tsconfig, react from the clone.
    save('counter.tsx', counter);
    save('hello.tsx', withCounter(example));
    await expectSaves(strip, 2, /\+\d+ B \(\+\d+ B with gzip\), one client module more \(Counter\)/);
    await page.getByRole('button', { name: 'pressed 0' }).click();
    await page.getByRole('button', { name: 'pressed 1' }).waitFor();

    // The state stays when the server's part changes.
    const longer = withCounter(example).replace('Hello from', 'Good morning, and hello from');
    save('hello.tsx', longer);
    await page.getByText('Good morning, and hello from the server.').waitFor();
    await expectSaves(strip, 3, /\+18 B \(.*\), \+18 B of text/);
    await page.getByRole('button', { name: 'pressed 1' }).waitFor();

    // Syntax: said with its file and line; what is shown stays, also for whoever comes now.
    save('hello.tsx', longer.replace('return (', 'return (( <<<'));
    await strip.filter({ hasText: /This save is broken.*SyntaxError.*hello\.tsx:\d+/s }).waitFor();
    await page.getByText('Good morning').waitFor();
    await page.getByRole('button', { name: 'pressed 1' }).waitFor();
    expect(await (await fetch(`${server.origin}/lab/hello`)).text()).toContain('Good morning');
    await list.getByText(/hello\.tsx cannot be read/).waitFor();

    // A render that throws is not shown either.
    save(
      'hello.tsx',
      longer.replace(
        'return (\n    <>',
        "if (Date.now() > 0) throw new Error('canary-of-a-save');\n  return (\n    <>",
      ),
    );
    await strip.filter({ hasText: /This save is broken.*canary-of-a-save.*hello\.tsx/s }).waitFor();
    await page.getByRole('button', { name: 'pressed 1' }).waitFor();

    // Mended: compared with the last good one.
    save('hello.tsx', longer.replace('Good morning, and', 'Good evening, then'));
    await page.getByText('Good evening, then hello').waitFor();
    await expectSaves(strip, 4, /\+1 B/);
    await page.getByRole('button', { name: 'pressed 1' }).waitFor();

    // The diff is one click away, and the table has every save.
    await strip.locator('details > summary').click();
    expect(await strip.locator('tbody tr').count()).toBe(4);
    await strip.getByRole('link', { name: 'Diff' }).first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toMatch(/\/flights\/\d+\/diff\/\d+$/);

    // Longer by more than the renderings differ by.
    const again = await open('/lab/hello');
    await expectSaves(again.locator('[data-flight-saves]'), 4, /with gzip/);
    const slower = longer.replace('Good morning, and', 'Good evening, then').replace('300)', '900)');
    const savesAgain = again.locator('[data-flight-saves]');
    save('hello.tsx', slower);
    await savesAgain.locator('ol > li').nth(4).waitFor();
    // Written twice, as some editors do: it is measured still, and is no save that changed nothing.
    save('hello.tsx', slower);
    await expectSaves(savesAgain, 5, /Suspense waits \d+ ms more/);

    // What becomes of a rejected promise is in the code of the component that is given it.
    save('given.tsx', given);
    save('hello.tsx', withGiven(slower));
    await again.getByText('it was rejected').waitFor();
    await expectSaves(savesAgain, 6, /A promise given to <Given> was rejected/);

    rmSync(path.join(folder, 'hello.tsx'));
    await list.getByRole('link', { name: 'Hello', exact: true }).waitFor({ state: 'detached' });
  },
);

test.each([
  { words: ['nowhere'], says: 'there is no folder .*nowhere; make it, or add --example[^\\n]*' },
  { words: ['note.txt'], says: '.*note\\.txt is a file; name the folder that it is in' },
  { words: ['note.txt', '--example'], says: '.*note\\.txt is a file; name the folder that it is in' },
])('$words: what is wrong is one line', ({ words: [name = '', ...options], says }) => {
  const script = path.join(import.meta.dirname, '../scripts/lab.mjs');
  writeFileSync(path.join(folder, 'note.txt'), 'a note');
  const words = [script, path.join(folder, name), ...options];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^flight-recorder: ${says}\\n$`));
});

test('the production build has nothing of it', () => {
  const dist = path.join(import.meta.dirname, '../dist');
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:js|html|txt)$/.test(file),
  );
  expect(built.length).toBeGreaterThan(50);
  const marks = /flight-recorder:saved|flight-recorder:experiment-shown|data-flight-saves|Every save/;
  expect(built.filter((file) => marks.test(readFileSync(path.join(dist, file), 'utf8')))).toEqual([]);
});
