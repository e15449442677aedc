import { createHash, randomUUID } from 'node:crypto';

import type { Browser, BrowserContext, Page } from 'playwright/test';

import { startServer } from '../reliability/testing/start-server.ts';
import { runOperator as runOperatorOn } from '../reliability/testing/run-operator.ts';
import { tunnelPath } from '../src/server/http/addresses.ts';
import { breakPage } from './testing/break-page.ts';
import { createLoginLink, runOperator } from './testing/login-link.ts';
import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const stranger = { cookies: [], origins: [] };

test.use({ storageState: stranger });

async function readSessionCookie(context: BrowserContext) {
  const cookies = await context.cookies();
  return cookies.find((cookie) => cookie.name.startsWith('flight_'));
}

/** Signs `page` in with a login link. */
async function signIn(page: Page): Promise<void> {
  await page.goto((await createLoginLink()).href);
  await expect(page).toHaveURL('/');
}

/** Ends the session of `context`, as the operator would do it in a terminal. */
async function revoke(context: BrowserContext): Promise<void> {
  const before = (await runOperator('sessions', 'list')).trim().split('\n');
  const cookie = await readSessionCookie(context);
  const id = createHash('sha256')
    .update(cookie?.value ?? '')
    .digest('hex')
    .slice(0, 12);
  expect(before.some((line) => line.startsWith(id))).toBe(true);
  expect(await runOperator('sessions', 'revoke', id)).toBe('1 session ended.\n');
}

test.describe('a login link', () => {
  test('opened over the login page signs in, too', async ({ page }) => {
    await openHydrated(page, '/login');
    // The same address, only with another text behind the `#`: the browser loads nothing.
    await page.goto((await createLoginLink()).href);
    await expect(page).toHaveURL('/');
  });

  test(
    'signs in, and its code is nowhere but in the body of one POST',
    { tag: '@daily' },
    async ({ page, context }) => {
      const link = await createLoginLink();
      const code = link.hash.slice(1);
      const leaks: string[] = [];
      const bodies: string[] = [];
      page.on('request', (request) => {
        const told = [request.url(), ...Object.values(request.headers())].join(' ');
        if (told.includes(code)) leaks.push(told);
        if (request.postData()?.includes(code)) bodies.push(new URL(request.url()).pathname);
      });
      await page.goto(link.href);
      await expect(page).toHaveURL('/');
      await waitUntilHydrated(page);
      const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage, window.history.state]));
      expect([leaks, bodies, kept.includes(code)]).toEqual([[], ['/login'], false]);
      // The page with the link is not in the history, so nobody can go back to it.
      expect(await page.evaluate(() => window.navigation.entries().map((entry) => entry.url))).not.toContain(link.href);
      expect(await readSessionCookie(context)).toMatchObject({
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
        secure: false,
      });
    },
  );

  test('says in place that it was used, or is none, and takes a good one', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 401/);
    const link = await createLoginLink();
    await signIn(page);
    await page.context().clearCookies();
    const used = await createLoginLink();
    await page.goto(used.href);
    await expect(page).toHaveURL('/');
    await page.context().clearCookies();
    await page.goto(used.href);
    await expect(page.getByRole('main').getByRole('status')).toContainText('used already');
    await expect(page).toHaveURL('/login');
    await page.getByLabel('Login link, or its code').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('main').getByRole('status')).toContainText('not a login link of this server');
    await page.getByLabel('Login link, or its code').fill(link.href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/');
  });

  test('is not used up by whoever only looks at it', async ({ page, request }) => {
    const link = await createLoginLink();
    for (const method of ['GET', 'HEAD']) {
      expect((await request.fetch(link.href, { method })).status()).toBe(200);
      expect((await request.fetch(`${link.origin}/login?code=${link.hash.slice(1)}`, { method })).status()).toBe(200);
    }
    await page.goto(link.href);
    await expect(page).toHaveURL('/');
  });
});

test.describe('a page that was asked for', () => {
  for (const javaScriptEnabled of [true, false]) {
    test(
      `is shown after signing in, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      { tag: '@daily' },
      async ({ browser }) => {
        const context = await browser.newContext({ javaScriptEnabled });
        const page = await context.newPage();
        await page.goto('/lab/actions?key=asked-for&x=%20');
        await expect(page).toHaveURL('/login?next=%2Flab%2Factions%3Fkey%3Dasked-for%26x%3D%2520');
        await expect(page.getByRole('navigation')).toBeHidden();
        const box = page.getByLabel('Login link, or its code');
        await box.fill('nonsense');
        const answered = page.waitForResponse((response) => response.request().method() === 'POST');
        await page.getByRole('button', { name: 'Sign in' }).click();
        expect((await answered).status()).toBe(401);
        await expect(page.getByRole('main').getByRole('status')).toContainText('not a login link of this server');
        await box.fill((await createLoginLink()).hash);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page).toHaveURL('/lab/actions?key=asked-for&x=%20');
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await context.close();
      },
    );
  }

  for (const next of [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
  ]) {
    test(`is never one of another site: ${JSON.stringify(next)}`, async ({ page, expectConsoleErrors }) => {
      // The page being left still sends a report, after its cookie is gone.
      expectConsoleErrors(/status of 401/);
      const link = await createLoginLink();
      await page.goto(`/login?next=${encodeURIComponent(next)}${link.hash}`);
      await expect(page).toHaveURL('/');
      await page.context().clearCookies();
      await page.goto(`/login?next=${next}${(await createLoginLink()).hash}`);
      await expect.poll(() => new URL(page.url()).pathname).not.toBe('/login');
      expect(new URL(page.url()).origin).toBe(link.origin);
    });
  }
});

test('a cookie that was planted before signing in opens nothing', async ({ page, context, baseURL }) => {
  const planted = 'A'.repeat(43);
  const name = `flight_${new URL(baseURL ?? '').port}`;
  await context.addCookies([{ name, value: planted, url: baseURL ?? '' }]);
  await signIn(page);
  const given = await readSessionCookie(context);
  expect(given?.value).not.toBe(planted);
  const first = given?.value;
  await signIn(page);
  const second = await readSessionCookie(context);
  expect(second?.value).not.toBe(first);
  for (const value of [planted, first]) {
    const headers = { cookie: `${name}=${value}` };
    const response = await fetch(`${baseURL}/runtime`, { headers, redirect: 'manual' });
    expect(response.status).toBe(401);
  }
});

test.describe('a session that ends while its page is open', () => {
  test(
    'leads the next click to the login page, and back',
    { tag: '@daily' },
    async ({ page, context, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 401/);
      await signIn(page);
      await openHydrated(page, '/');
      await revoke(context);
      await page.getByRole('link', { name: 'Alerts', exact: true }).click();
      await expect(page).toHaveURL('/login?next=%2Falerts');
      await expect(page.getByText('Your session has ended')).toBeVisible();
      await page.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/alerts');
      await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
    },
  );

  test('leads back to the same place on the page', async ({ page, context }) => {
    await signIn(page);
    await openHydrated(page, '/protocol');
    await revoke(context);
    await page.goto('/decode');
    await page.goto('/protocol#row-I');
    await expect(page).toHaveURL('/login?next=%2Fprotocol#row-I');
    await expect(page.getByText('and you are back where you were')).toBeVisible();
    await expect(page.getByRole('main').getByRole('status')).toHaveText('');
    await page.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/protocol#row-I');
  });

  test('is told of on the login page without JavaScript, and to nobody who was never signed in', async ({
    browser,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/runtime');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByText('Your session has ended')).toHaveCount(0);
    await page.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/runtime');
    await revoke(context);
    await page.reload();
    await expect(page.getByText('Your session has ended')).toBeVisible();
    await page.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/runtime');
    await page.goto('/operator');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect(page).toHaveURL('/login');
    await expect(page.getByText('Your session has ended')).toHaveCount(0);
    await context.close();
  });

  test('lets an action say so beside what was typed, and go through later', async ({
    page,
    context,
    expectConsoleErrors,
  }) => {
    expectConsoleErrors(/status of 401/);
    await signIn(page);
    const path = `/lab/actions?key=${randomUUID()}`;
    await openHydrated(page, path);
    await revoke(context);
    await page.getByRole('textbox', { name: 'Nickname' }).fill('typed with care');
    await page.getByRole('button', { name: 'Save nickname' }).click();
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('There is no session');
    await expect(page.getByRole('textbox', { name: 'Nickname' })).toHaveValue('typed with care');
    const opened = context.waitForEvent('page');
    await alert.getByRole('link', { name: 'Sign in in a new tab' }).click();
    const tab = await opened;
    await expect(tab).toHaveURL(/\/login\?next=/);
    await tab.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await expect(tab).toHaveURL(path);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toContainText('hello, typed with care');
    await expect(alert).toHaveCount(0);
  });

  test('lets every form say so: it stays, with its input, and nothing is reported', async ({
    page,
    context,
    expectConsoleErrors,
  }) => {
    expectConsoleErrors(/status of 401/);
    const reports: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === tunnelPath) reports.push(request.postData() ?? '');
    });
    await signIn(page);
    const digest = await breakPage(page.request, '/lab/throw-before-shell');
    await page.goto(`/digest/${digest}`);
    await page.getByRole('link', { name: /errors? of this fault$/ }).click();
    await expect(page).toHaveURL(/\/faults\/[\da-z]{8}\?error=/);
    const fault = page.url();
    const alert = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Dismiss' }) });

    await openHydrated(page, fault);
    await revoke(context);
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await expect(alert).toContainText('There is no session');
    await expect(page.getByRole('region', { name: 'Triage' })).toContainText('Opened');

    await signIn(page);
    await openHydrated(page, '/alerts');
    await page.getByLabel('Name', { exact: true }).fill('typed with care');
    await page.getByLabel(/^Address/).fill('https://hooks.example.com/typed');
    await revoke(context);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(alert).toContainText('There is no session');
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('typed with care');

    await signIn(page);
    await openHydrated(page, '/scrubbing');
    await page.getByLabel('Names of keys, one a line').fill('typed_with_care');
    await revoke(context);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(alert).toContainText('There is no session');
    await expect(page.getByLabel('Names of keys, one a line')).toHaveValue('typed_with_care');
    await page.getByRole('button', { name: 'Scrub what is stored again' }).click();
    await expect(page.getByLabel('Names of keys, one a line')).toHaveValue('typed_with_care');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Scrub what is stored again' }).click();
    await expect(alert).toContainText('There is no session');
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toHaveCount(0);
    expect(reports).toEqual([]);
  });

  test('lets a form say so without JavaScript, and go through later', async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/login');
    await page.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(`/lab/actions?key=${randomUUID()}`);
    await revoke(context);
    await page.getByRole('textbox', { name: 'Nickname' }).fill('typed with care');
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Save nickname' }).click();
    expect((await answered).status()).toBe(401);
    await expect(page.getByRole('alert')).toContainText('There is no session');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in in a new tab' }).click();
    const tab = await opened;
    await tab.getByLabel('Login link, or its code').fill((await createLoginLink()).href);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await expect(tab).toHaveURL(/\/lab\/actions/);
    await page.reload();
    await expect(page.getByTestId('nickname')).toContainText('hello, typed with care');
    await context.close();
  });
});

/** A browser that is signed in on its own server. */
async function openOwn(browser: Browser, origin: string, dataFolder: string, options: object = {}): Promise<Page> {
  const context = await browser.newContext({ ...options, baseURL: origin });
  const page = await context.newPage();
  const { output } = await runOperatorOn(dataFolder, 'login-link');
  await page.goto('/login');
  await page.getByLabel('Login link, or its code').fill(output);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL('/');
  return page;
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test('the operator sees who is signed in, signs others out, and leaves', async ({ browser }) => {
      await using server = await startServer({ env: { FLIGHT_AUTH: 'on', FLIGHT_OPERATOR: 'flight-operator' } });
      const { origin, dataFolder } = server;
      const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)> Firefox/1.0';
      const page = await openOwn(browser, origin, dataFolder, { javaScriptEnabled });
      const other = await openOwn(browser, origin, dataFolder, { userAgent: hostile });
      const third = await openOwn(browser, origin, dataFolder, { userAgent: 'curl/8.0' });

      await page.getByRole('link', { name: 'Operator' }).click();
      const table = page.getByRole('table', { name: 'Sessions' });
      await expect(page.getByText('flight-operator password set', { exact: true })).toBeVisible();
      // This server is for this machine alone.
      await expect(page.getByText('Another device cannot reach this server')).toBeVisible();
      const { port } = new URL(origin);
      await expect(page.locator('code', { hasText: `ssh -L ${port}:127.0.0.1:${port} <this machine>` })).toBeVisible();
      await expect(table.getByRole('row')).toHaveCount(4);
      await expect(table).toContainText('this browser');
      await expect(table).toContainText('127.0.0.1');
      await expect(table.getByTitle(hostile)).toHaveText(/^Firefox/);
      await table.getByRole('button', { name: 'Sign out Firefox' }).click();
      await expect(table.getByRole('row')).toHaveCount(3);
      await other.reload();
      await expect(other).toHaveURL('/login');
      await expect(other.getByText('flight-operator login-link', { exact: true })).toBeVisible();

      await page.getByRole('button', { name: 'Sign out all others' }).click();
      await expect(table.getByRole('row')).toHaveCount(2);
      await third.reload();
      await expect(third).toHaveURL('/login');

      const before = await readSessionCookie(page.context());
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await expect(page).toHaveURL('/login');
      expect(await readSessionCookie(page.context())).toBeUndefined();
      if (javaScriptEnabled) {
        await page.goBack();
        await expect(page).toHaveURL('/login?next=%2Foperator');
      }
      const replayed = await fetch(`${origin}/`, { headers: { cookie: `${before?.name}=${before?.value}` } });
      expect(replayed.status).toBe(401);
      for (const one of [page, other, third]) await one.context().close();
    });

    test('a password signs in, and changing it signs everybody out', async ({ browser, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 4(?:01|29)/);
      await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
      const { origin, dataFolder } = server;
      const page = await openOwn(browser, origin, dataFolder, { javaScriptEnabled });
      async function setPassword(password: string): Promise<void> {
        const set = await runOperatorOn({ dataFolder, input: `${password}\n` }, 'password', 'set');
        expect(set).toMatchObject({ code: 0, output: 'The password is set. 1 session ended.\n' });
      }
      async function type(password: string): Promise<void> {
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).first().click();
      }
      await setPassword('heron ladder seventeen');
      await page.goto('/runtime');
      await expect(page).toHaveURL('/login?next=%2Fruntime');
      await type('not the password');
      await expect(page.getByRole('main').getByRole('status')).toContainText('That is not the password.');
      await type('heron ladder seventeen');
      await expect(page).toHaveURL('/runtime');
      await setPassword('another heron, another ladder');
      // Another process has changed it. On PostgreSQL the server is told so, which takes some milliseconds.
      await expect(async () => {
        await page.reload();
        expect(page.url()).toBe(`${origin}/login?next=%2Fruntime`);
      }).toPass({ timeout: 5_000 });
      async function guess(): Promise<void> {
        const headers = { origin, accept: 'application/json' };
        const body = new URLSearchParams({ password: 'heron ladder seventeen' });
        await (await fetch(`${origin}/login`, { method: 'POST', headers, body })).arrayBuffer();
      }
      const message = page.getByRole('main').getByRole('status');
      // An attempt comes back every six seconds. A slow machine may type that long.
      await expect(async () => {
        await Promise.all(Array.from({ length: 15 }, guess));
        await type('heron ladder seventeen');
        await expect(message).not.toHaveText('Signing in …');
        expect(await message.textContent()).toMatch(/^Too many attempts from here\. Try again in [1-6] seconds?\.$/);
      }).toPass();
      await page.context().close();
    });
  });
}
