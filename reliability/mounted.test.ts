import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { waitUntilHydrated } from '../e2e/testing/open-hydrated.ts';
import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { ensureMounted } from '../scripts/prepare.mjs';
import { tabIds } from '#viewer/view-hash.ts';
import { mountInterface } from '../src/waku/mount/mount-interface.ts';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * The interface as another app mounts it: copied to a path, started from its copy, and used in a browser that has no other page
 * of the origin. Nothing may be asked for outside of the path: there, the app answers.
 */
const from = path.join(import.meta.dirname, '../dist/mounted');
const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-mounted-'));
const mounts = ['/_flight', '/shop/_flight'];
/** A busy machine hydrates slowly. */
const timeout = 20_000;

/** What a browser says of a page that fails on purpose: the status, and that React omits the server's message. */
const ofFailures = /status of (?:404|500)|React error #441/;

let browser: Browser;

function toFolder(mount: string): string {
  return path.join(folder, `copy${mount.replaceAll('/', '-')}`);
}

beforeAll(async () => {
  ensureMounted(process.execPath);
  for (const mount of mounts) await mountInterface({ from, to: toFolder(mount), mount });
  const executablePath = findInstalledBrowser();
  browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath ? { executablePath } : {}) });
}, 300_000);

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function startMounted(mount: string, env: Record<string, string> = {}): Promise<RunningServer> {
  // From another folder than the copy's: nothing depends on where it is started.
  return startServer({ dist: toFolder(mount), mount, folder: tmpdir(), env: { FLIGHT_AUTH: 'on', ...env } });
}

type Visit = { readonly page: Page; readonly asked: string[]; readonly problems: string[] };

/** A page that notes what was asked for, and what a browser complains of, a policy that was broken for one. */
async function openTab(context: BrowserContext): Promise<Visit> {
  const [asked, problems]: [string[], string[]] = [[], []];
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return { page, asked, problems };
}

async function openContext(javaScriptEnabled = true): Promise<BrowserContext> {
  const context = await browser.newContext({ javaScriptEnabled });
  onTestFinished(() => context.close());
  return context;
}

async function makeLoginLink(server: RunningServer): Promise<string> {
  const { output, errors } = await runOperator(server.dataFolder, 'login-link');
  expect(errors).toBe('');
  return output.trim();
}

async function expectPath(page: Page, pathname: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === pathname, { timeout });
}

function isBelow(mount: string): (pathname: string) => boolean {
  return (pathname) => pathname === mount || pathname.startsWith(`${mount}/`);
}

async function readHeading(page: Page): Promise<string> {
  return await page.getByRole('heading', { level: 1 }).innerText();
}

/** Opens the list until the flight is written. */
async function openFlight(page: Page, list: string, mark: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.goto(list);
        return await page.getByRole('link', { name: mark }).count();
      },
      { timeout },
    )
    .toBeGreaterThan(0);
  await page.getByRole('link', { name: mark }).first().click();
  await page.getByRole('tablist', { name: 'Views of the flight' }).waitFor();
}

async function readPanels(page: Page): Promise<string[]> {
  const shown: string[] = [];
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    const panel = page.getByRole('tabpanel');
    await panel.waitFor();
    await expect.poll(async () => (await panel.innerText()).length, { timeout }).toBeGreaterThan(20);
    shown.push(await tab.innerText());
  }
  return shown;
}

describe.each(mounts)('mounted at %s', (mount) => {
  test('is used in a browser without one request outside of it', async () => {
    await using server = await startMounted(mount);
    const context = await openContext();
    const { page, asked, problems } = await openTab(context);

    const link = await makeLoginLink(server);
    expect(link.startsWith(`${server.origin}${mount}/login#`)).toBe(true);
    await page.goto(link);
    await expectPath(page, mount);
    expect((await context.cookies()).map((cookie) => cookie.path)).toEqual([mount]);
    await waitUntilHydrated(page);

    // Navigations of the router: payloads, and no new document.
    await page.evaluate(() => Reflect.set(window, 'isSameDocument', true));
    for (const name of ['Faults', 'Flights', 'Alerts', 'Apps', 'Decode', 'Runtime', 'Lab', 'Operator']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await expectPath(page, `${mount}/${name.toLowerCase()}`);
      await expect.poll(() => readHeading(page), { timeout }).toContain(name);
    }
    await page.getByRole('link', { name: 'Flight Recorder', exact: true }).click();
    await expectPath(page, mount);
    expect(await page.evaluate(() => Reflect.get(window, 'isSameDocument'))).toBe(true);
    expect(asked.filter((pathname) => pathname.startsWith(`${mount}/RSC/R/`)).length).toBeGreaterThan(8);

    // An experiment, its flight, and each panel of it.
    await page.goto(`${mountedAt(server, mount)}/lab/slow?ms=0&mark-of-mounted`);
    await openFlight(page, `${mountedAt(server, mount)}/flights?own=1`, 'mark-of-mounted');
    expect(await readPanels(page)).toHaveLength(tabIds.length);
    expect(problems).toEqual([]);
    // What flights are saved in is not in this build: a copy has it from the one beside.
    const template = await context.request.get(`${mountedAt(server, mount)}/decode/one-file`);
    expect([template.status(), await template.text()]).toEqual([200, expect.stringContaining('id="flight-viewer"')]);

    // An error, its digest, and where the digest leads.
    expect((await page.goto(`${mountedAt(server, mount)}/lab/throw-before-shell`))?.status()).toBe(500);
    const digest = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(await page.getByRole('alert').innerText())?.[0] ?? '';
    await page.goto(`${mountedAt(server, mount)}/`);
    await page.getByLabel('Digest, id or words').fill(digest);
    await page.getByRole('button', { name: 'Search' }).click();
    await expectPath(page, `${mount}/digest/${digest}`);
    await expect.poll(() => page.getByRole('main').innerText(), { timeout }).toContain('thrown on purpose');

    expect((await page.goto(`${mountedAt(server, mount)}/nothing-here`))?.status()).toBe(404);
    expect(await readHeading(page)).toBe('Not found');
    expect(problems.filter((text) => !ofFailures.test(text))).toEqual([]);

    await page.goto(`${mountedAt(server, mount)}/operator`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expectPath(page, `${mount}/login`);
    expect(await context.cookies()).toEqual([]);
    await page.goto(`${mountedAt(server, mount)}/flights`);
    expect(new URL(page.url()).search).toBe(`?next=${encodeURIComponent(`${mount}/flights`)}`);

    expect(asked.filter((pathname) => !isBelow(mount)(pathname))).toEqual([]);
  }, 180_000);

  test.each([true, false])('runs actions and prefetches (JavaScript: %s)', async (hasJavaScript) => {
    await using server = await startMounted(mount);
    const context = await openContext(hasJavaScript);
    const { page, asked, problems } = await openTab(context);
    await page.goto(await makeLoginLink(server));
    if (!hasJavaScript) {
      await page.getByRole('textbox', { name: 'code' }).fill(new URL(await makeLoginLink(server)).hash);
      await page.getByRole('button', { name: 'Sign in' }).first().click();
    }
    await expectPath(page, mount);

    const address = `${mountedAt(server, mount)}/lab/actions?key=mounted`;
    await page.goto(address);
    if (hasJavaScript) await waitUntilHydrated(page);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect
      .poll(() => page.getByTestId('nickname').innerText(), { timeout })
      .toBe('Attempt 1: A nickname has at least one letter.');
    expect(page.url()).toBe(address);

    await page.goto(`${mountedAt(server, mount)}/lab/prefetch`);
    if (hasJavaScript) {
      await waitUntilHydrated(page);
      const prefetch = page.waitForRequest((request) => request.headers()['x-flight-prefetch'] !== undefined);
      await page.getByRole('link', { name: 'Page 7', exact: true }).hover();
      expect(new URL((await prefetch).url()).pathname.startsWith(`${mount}/RSC/R/`)).toBe(true);
    }
    await page.getByRole('link', { name: 'Page 9', exact: true }).click();
    await expectPath(page, `${mount}/lab/prefetch/9`);
    expect(problems).toEqual([]);
    expect(asked.filter((pathname) => !isBelow(mount)(pathname))).toEqual([]);
  });

  test('says nothing outside of its path, to nobody', async () => {
    await using server = await startMounted(mount);
    const outside = [
      '/',
      '/flights',
      '/login',
      '/healthz',
      '/readyz',
      '/404',
      '/404.html',
      '/favicon.svg',
      `${mount}s`,
    ];
    const payloads = ['/RSC/R/flights.txt', '/RSC/R/_root.txt', '/assets/index.js', '/tunnel', '/api/x/errors'];
    const answers = new Set<string>();
    for (const target of [...outside, ...payloads]) {
      for (const method of ['GET', 'POST']) {
        const head = `${method} ${target} HTTP/1.1\r\nHost: ${server.host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
        const answer = await exchangeRaw(
          server.port,
          method === 'GET' ? head.replace('Content-Length: 0\r\n', '') : head,
        );
        expect([target, ...answer.statuses]).toEqual([target, 404]);
        expect(answer.text.toLowerCase()).not.toMatch(/location|set-cookie|www-authenticate|flight recorder/);
        answers.add(answer.text.slice(answer.text.indexOf('\r\n\r\n')));
      }
    }
    expect(answers.size).toBe(1);
  });

  test('sends each file of its build as it is, compressed or not', async () => {
    await using server = await startMounted(mount);
    const assets = path.join(toFolder(mount), 'public', mount, 'assets');
    const names = readdirSync(assets);
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const plain = readFileSync(path.join(assets, name));
      const address = `${mountedAt(server, mount)}/assets/${name}`;
      const answer = await fetch(address, { headers: { 'accept-encoding': 'br' } });
      expect(answer.headers.get('cache-control')).toContain('immutable');
      // fetch has unpacked it.
      expect(Buffer.from(await answer.arrayBuffer()).equals(plain), name).toBe(true);
      expect(plain.includes('__flight_mount__'), name).toBe(false);
    }
    const compressed = path.join(toFolder(mount), 'precompressed');
    const variants = readdirSync(compressed).filter((name) => name.endsWith('.br'));
    expect(variants.length).toBeGreaterThan(20);
    const sizes = variants.map((name) => brotliDecompressSync(readFileSync(path.join(compressed, name))).length);
    expect(Math.min(...sizes)).toBeGreaterThan(1023);
  });
});

function mountedAt(server: RunningServer, mount: string): string {
  return server.origin + mount;
}

test('is named by the address that people use, which has no path of its own', async () => {
  const [mount = ''] = mounts;
  const env = { BASE_URL: 'https://shop.example', TRUSTED_PROXIES: '127.0.0.1' };
  const data = mkdtempSync(path.join(folder, 'data-'));
  const made = await runOperator({ dataFolder: data, env: { ...process.env, ...env } }, 'login-link');
  expect(made.code).toBe(0);
  await using server = await startServer({
    dist: toFolder(mount),
    mount,
    dataFolder: data,
    env: { FLIGHT_AUTH: 'on', ...env },
  });
  const link = new URL(await makeLoginLink(server));
  expect(`${link.origin}${link.pathname}`).toBe(`https://shop.example${mount}/login`);
  const body = new URLSearchParams({ code: link.hash.slice(1), next: '/checkout' }).toString();
  const answer = await exchangeRaw(
    server.port,
    `POST ${mount}/login HTTP/1.1\r\nHost: shop.example\r\nOrigin: https://shop.example\r\nX-Forwarded-For: 203.0.113.7\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  expect(answer.statuses).toEqual([303]);
  // The app's own page is not where a login of the interface leads.
  expect(answer.text).toMatch(new RegExp(`^location: ${mount}\\r$`, 'im'));
  expect(answer.text).toMatch(new RegExp(`^set-cookie: __Secure-flight=.*; Path=${mount}; .*; Secure\\r$`, 'im'));
  expect(answer.text.toLowerCase()).not.toContain('strict-transport-security');
  const line = await server.waitForLine(({ event }) => event === 'signed-in');
  expect(line.fields['address']).toBe('203.0.113.7');
});

test('does not start for an address with a path: the mount path is in the copy', async () => {
  const [mount = ''] = mounts;
  const started = startMounted(mount, { BASE_URL: 'https://shop.example/shop' });
  await expect(started).rejects.toThrow(/BASE_URL.*without a path/s);
});

describe('the copy', () => {
  test('is made once, and anew for another path', async () => {
    const to = path.join(folder, 'again');
    const before = performance.now();
    await mountInterface({ from, to, mount: '/_flight' });
    console.log(`the interface was mounted in ${Math.round(performance.now() - before)} ms`);
    const made = statSync(to).ino;
    await mountInterface({ from, to, mount: '/_flight' });
    expect(statSync(to).ino).toBe(made);
    await mountInterface({ from, to, mount: '/a/b.c/_flight' });
    expect(statSync(to).ino).not.toBe(made);
    expect(existsSync(path.join(to, 'public/a/b.c/_flight/favicon.svg'))).toBe(true);
    expect(existsSync(path.join(to, 'public/_flight'))).toBe(false);
  });

  test('is whole or not there: what another process left half-way is no copy, and is removed', async () => {
    const to = path.join(folder, 'left');
    // The highest number that a process can have is 2 ** 22.
    const left = `${to}.4194305-ab12-new`;
    mkdirSync(left);
    writeFileSync(path.join(left, 'serve-node.js'), '');
    // Without its stamp, as no version makes one: it is replaced.
    mkdirSync(to);
    await mountInterface({ from, to, mount: '/_flight' });
    expect(existsSync(path.join(to, 'server/index.js'))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('left'))).toEqual(['left']);
  });

  test('made by two at once is one', async () => {
    const to = path.join(folder, 'both');
    await Promise.all([1, 2].map(() => mountInterface({ from, to, mount: '/_flight' })));
    expect(readdirSync(folder).filter((name) => name.startsWith('both'))).toEqual(['both']);
    expect(existsSync(path.join(to, 'build-stamp'))).toBe(true);
  });

  test('is made for no path that means something else, and of no folder without a build', async () => {
    const to = path.join(folder, 'never');
    await expect(mountInterface({ from, to, mount: '/../x' })).rejects.toThrow('cannot be a mount path');
    await expect(mountInterface({ from: folder, to, mount: '/_flight' })).rejects.toThrow('no build of the interface');
    expect(existsSync(to)).toBe(false);
  });
});
