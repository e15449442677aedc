import { chromium, type Browser, type Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { waitUntilHydrated } from '../e2e/testing/open-hydrated.ts';
import { findInstalledBrowser } from '../scripts/find-browser.mjs';

import { startDevServer, type DevServer } from './testing/start-dev-server.ts';

/** A busy machine compiles slowly, and the first page compiles everything. */
const timeout = 60_000;

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  const executablePath = findInstalledBrowser();
  [server, browser] = await Promise.all([
    startDevServer({}),
    chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] }),
  ]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

function experiment(title: string, text: string, before = ''): string {
  return `/**
 * ${title}
 *
 * It says ${text}.
 *
 * Look for: the word.
 */
${before}export default function Tried() {
  return <p data-testid="tried">${text}</p>;
}
`;
}

async function open(path: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  page.setDefaultNavigationTimeout(timeout);
  // Vite shows the latest error of a file to the first page that comes, also when the file is mended or gone by then.
  await page.addLocatorHandler(page.locator('vite-error-overlay'), async () => {
    await page.reload();
    await waitUntilHydrated(page);
  });
  await page.goto(`${server.origin}${path}`);
  return page;
}

/** The watcher sees a new file a moment after it is there. */
async function askUntil(path: string, isThere: (response: Response, text: string) => boolean): Promise<string> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const response = await fetch(`${server.origin}${path}`);
    const text = await response.text();
    if (isThere(response, text)) return text;
    if (performance.now() > deadline) throw new Error(`${path} stayed at ${response.status}:\n${server.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a file becomes an experiment, changes, fails alone, and goes', { timeout: 4 * timeout }, async () => {
  await askUntil('/lab', (_, text) => text.includes('What props cost'));

  // A new file: its entry in the list, and its page.
  server.write('src/lab/tried.tsx', experiment('Tried here', 'one'));
  await askUntil('/lab', (_, text) => text.includes('Tried here'));
  expect(await askUntil('/lab/tried', (_, text) => text.includes('>one<'))).toContain('Tried here');

  // A change of the component, of a part in its folder, and of the comment.
  server.write('src/lab/tried.tsx', experiment('Tried here', 'two'));
  await askUntil('/lab/tried', (_, text) => text.includes('>two<'));
  server.write('src/lab/tried/part.tsx', `'use client';\nexport function Part() {\n  return <i>part</i>;\n}\n`);
  server.write(
    'src/lab/tried.tsx',
    experiment('Tried again', 'three', `import { Part } from './tried/part.tsx';\nexport const parts = <Part />;\n`),
  );
  await askUntil('/lab/tried', (_, text) => text.includes('Tried again') && text.includes('>three<'));
  await askUntil('/lab', (_, text) => text.includes('Tried again'));
  expect(await askUntil('/lab/about/tried', (_, text) => text.includes('src/lab/tried/part.tsx'))).toContain(
    'Tried again',
  );

  // A syntax error: said in the list, under the last title; its page keeps the last good one, and the others work.
  server.write('src/lab/tried.tsx', experiment('Tried worse', 'four (( <<<', 'const broken = ((;\n'));
  const listed = await askUntil('/lab', (_, text) => text.includes('src/lab/tried.tsx cannot be read'));
  expect(listed).toContain('What props cost');
  expect(listed).toContain('Tried again');
  const kept = await (await fetch(`${server.origin}/lab/tried`)).text();
  expect(kept).toContain('three');
  expect((await fetch(`${server.origin}/lab/props`)).status).toBe(200);

  // Repaired, it is back where it is shown.
  server.write('src/lab/tried.tsx', experiment('Tried well', 'five'));
  await askUntil('/lab/tried', (_, text) => text.includes('five'));

  // Another page of it, without a restart; and without a comment it has its name.
  server.write('src/lab/tried/pages/more.tsx', 'export default function More() {\n  return <p>more of it</p>;\n}\n');
  await askUntil('/lab/tried/more', (response, text) => response.status === 200 && text.includes('more of it'));
  server.write('src/lab/tried.tsx', 'export default function Tried() {\n  return <p>six</p>;\n}\n');
  expect(await askUntil('/lab/tried', (_, text) => text.includes('six'))).toContain('no doc comment');

  // Deleted, it is gone.
  server.erase('src/lab/tried.tsx');
  await askUntil('/lab/tried', (response) => response.status === 404);
  await askUntil('/lab', (_, text) => !text.includes('/lab/tried'));
});

/** The addresses of all links into the editor, as a page has them. */
async function readEditorLinks(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const text = await (await fetch(`${server.origin}${path}`, { headers })).text();
  return [...text.matchAll(/<a href="(vscode:[^"]*)"/g)].map(([, href = '']) => href);
}

test(
  'sources, frames and actions open in the editor of who sits at this machine',
  { timeout: 4 * timeout },
  async () => {
    const about = await readEditorLinks('/lab/about/actions');
    expect(about[0]).toMatch(/^vscode:\/\/file\/.*\/src\/lab\/actions\.tsx:1:1$/);

    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    expect(await readEditorLinks('/lab/about/actions', forwarded)).toEqual([]);
    // Nobody says it of himself.
    expect(await readEditorLinks('/lab/about/actions', { ...forwarded, 'X-Flight-Here': '1' })).toEqual([]);

    const page = await open('/lab/actions');
    // The first page that needs a dependency makes Vite load it again: a click before that would be lost.
    await waitUntilHydrated(page);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Raise by 5' }).click();
    const request = (await answered).headers()['x-request-id'] ?? '';
    const flight = await askUntil(`/flights/of/${request}`, (response) => /\/flights\/\d+$/.test(response.url));
    expect(flight).toMatch(/<a href="vscode:[^"]*\/src\/lab\/actions\/raise-counter\.ts:\d{1,3}:\d+"/);

    await page.goto(`${server.origin}/lab/throw-before-shell`);
    const [digest = ''] =
      /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/.exec(await page.getByRole('alert').innerText()) ?? [];
    await page.goto(`${server.origin}/digest/${digest}`);
    const frame = page.getByRole('link', { name: /^src\/lab\/throw-before-shell\.tsx:\d+:\d+$/ });
    await frame.first().waitFor();
    expect(await frame.first().getAttribute('href')).toMatch(/\/src\/lab\/throw-before-shell\.tsx:14:\d+$/);
  },
);

test(
  'in development the flight is shown beside the experiment by itself, and what it names opens in the editor',
  { timeout: 2 * timeout },
  async () => {
    const page = await open('/lab/promise-prop');
    await page.getByRole('tab', { name: 'Waterfall' }).waitFor();
    await page.getByText('What the bytes are').waitFor();
    await page.getByRole('tab', { name: 'Modules' }).click();
    const module = page.getByRole('link', { name: /promise-prop\/forecast\.tsx/ });
    await module.first().waitFor();
    expect(await module.first().getAttribute('href')).toMatch(
      /^vscode:\/\/file\/.*\/src\/lab\/promise-prop\/forecast\.tsx:1:1$/,
    );
  },
);
