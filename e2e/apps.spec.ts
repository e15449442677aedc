import { randomBytes, randomUUID } from 'node:crypto';

import type { APIRequestContext, Page } from 'playwright/test';

import { writeFlightFile } from '#flight';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { openDetails } from './testing/open-details.ts';
import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const isOnPostgres = process.env['E2E_ENGINE'] === 'postgres';

type Sender = { readonly app: string; readonly key: string; readonly base: string };

function name(): string {
  return `Shop ${randomUUID().slice(0, 8)}`;
}

async function addApp(page: Page, called: string): Promise<void> {
  await page.getByLabel('Name').fill(called);
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(called);
}

/** From the text that the page shows to be copied, as somebody else's proxy reads it. */
async function readSender(page: Page): Promise<Sender> {
  const line = (await page.getByText('FLIGHT_RECORDER=').first().textContent()) ?? '';
  const url = new URL(line.replace('FLIGHT_RECORDER=', '').trim());
  return { app: url.pathname.slice(1), key: url.username, base: `${url.protocol}//${url.host}` };
}

function writeFlight(path: string): string {
  const body = Buffer.from('0:["$","h1",null,{"children":"A cart"}]\n');
  return writeFlightFile({
    facts: {
      requestId: randomBytes(16).toString('hex'),
      traceId: randomBytes(16).toString('hex'),
      visit: null,
      kind: 'navigation',
      method: 'GET',
      path,
      query: [],
      route: path,
      build: '',
      status: 200,
      rendering: 'unknown',
      outcome: 'complete',
      startedAt: new Date().toISOString(),
      firstByteMs: 3,
      durationMs: 5,
      bytes: body.length,
      digests: [],
      action: null,
      hits: 1,
      lastAt: null,
      framework: 'next',
    },
    content: 'flight',
    chunks: [[3, body.length]],
    body,
    debug: null,
    elements: [],
    elided: [],
    arguments: null,
  });
}

async function send(request: APIRequestContext, { app, key, base }: Sender, path: string): Promise<number> {
  const response = await request.post(`${base}/api/${app}/flights`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    data: writeFlight(path),
  });
  return response.status();
}

/** As the reporter of an app sends it: docs/error-format.md. */
async function sendError(request: APIRequestContext, { app, key, base }: Sender, message: string): Promise<number> {
  const id = randomBytes(16).toString('hex');
  const error = {
    id,
    time: Date.now(),
    reporter: 'next',
    framework: 'next',
    digest: id.slice(0, 9),
    name: 'Error',
    message,
  };
  const response = await request.post(`${base}/api/${app}/errors`, {
    headers: { authorization: `Bearer ${key}` },
    data: { errors: [error] },
  });
  return response.status();
}

/** As a browser's SDK sends it, with the key that anybody can read. */
async function sendReport(request: APIRequestContext, page: Page, message: string): Promise<number> {
  const dsn = new URL(
    (
      await page
        .getByText(/^https?:\/\/\w+@[^/]+\/\d+$/)
        .first()
        .textContent()
    )?.trim() ?? '',
  );
  const id = randomBytes(16).toString('hex');
  const lines = [{ event_id: id }, { type: 'event' }, { exception: { values: [{ type: 'Error', value: message }] } }];
  const response = await request.post(`${dsn.origin}/api${dsn.pathname}/envelope/?sentry_key=${dsn.username}`, {
    data: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  return response.status();
}

for (const hasScripts of [true, false]) {
  test(`of an app that only browsers told of, no number of errors is said${hasScripts ? '' : ', without JavaScript either'}`, async ({
    page,
    request,
    browser,
    baseURL,
  }) => {
    await openHydrated(page, '/apps');
    const called = name();
    await addApp(page, called);
    const { app } = await readSender(page);
    expect(await sendReport(request, page, `No stock in ${app}`)).toBe(200);
    const shown = hasScripts ? page : await openWithoutJavaScript(browser, baseURL);
    if (!hasScripts) await shown.goto(`/apps/${app}`);
    // With scripts, the open page says it by itself.
    await expect(shown.getByText('Errors of browsers come: the latest')).toBeVisible();
    await expect(shown.getByRole('link', { name: '1 error from browsers' })).toBeVisible();
    await expect(shown.locator('main')).not.toContainText('0 errors');
    await shown.getByRole('link', { name: 'Apps', exact: true }).last().click();
    const row = shown.getByRole('row').filter({ hasText: called });
    await expect(row.getByRole('link', { name: `1 untrusted of ${called}, as errors` })).toBeVisible();
  });
}

test('an app is added, set up, seen, renamed, given new keys and deleted', async ({ page, request }) => {
  await openHydrated(page, '/apps');
  const called = name();
  await addApp(page, called);
  await expect(page.getByText('Waiting for the first flight …')).toBeVisible();
  await expect(page.getByText('Waiting for the first error …')).toBeVisible();
  const sender = await readSender(page);
  const mark = `/cart-${sender.app}`;

  // A key that is wrong is counted, and the page says so by itself.
  expect(await send(request, { ...sender, key: 'f'.repeat(32) }, mark)).toBe(401);
  await expect(page.getByRole('table', { name: 'Refused' })).toContainText('wrong-key');
  // The right one brings a flight, and the sign turns green by itself.
  expect(await send(request, sender, mark)).toBe(200);
  await expect(page.getByText('Flights come: the latest')).toBeVisible();
  expect(await sendError(request, sender, `No stock in ${sender.app}`)).toBeLessThan(300);
  await expect(page.getByText('Errors come: the latest')).toBeVisible();
  await page.getByRole('link', { name: 'See its errors' }).click();
  await expect(page).toHaveURL(`/?app=${sender.app}`);
  const errors = page.getByRole('table', { name: 'Faults' }).getByRole('row');
  await expect(errors).toHaveCount(2);
  await expect(errors.nth(1)).toContainText(`No stock in ${sender.app}`);
  await expect(errors.nth(1)).toContainText(called);
  await page.goBack();
  await page.getByRole('link', { name: 'See its flights' }).click();

  // The list is of this app alone, and says so in its address.
  await expect(page).toHaveURL(`/flights?app=${sender.app}`);
  const rows = page.getByRole('table', { name: 'Flights' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText(mark);
  await page.getByRole('link', { name: 'Routes', exact: true }).click();
  const totals = page.getByRole('table', { name: 'Totals by route' });
  await expect(totals.getByRole('row')).toHaveCount(2);
  await totals.getByRole('link', { name: mark }).click();
  await expect(page).toHaveURL(`/flights?app=${sender.app}&kind=navigation&route=%22%2Fcart-${sender.app}%22`);
  await page.getByRole('table', { name: 'Flights' }).getByRole('link', { name: mark }).click();
  await openDetails(page);
  await expect(page.getByRole('region', { name: 'Response' })).toContainText(`App${called}`);
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('Frameworknext');

  await openHydrated(page, `/apps/${sender.app}`);
  const renamed = name();
  const settings = page.getByRole('region', { name: 'Settings' });
  await settings.getByLabel('Name').first().fill(renamed);
  await settings.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(renamed);

  // New keys are asked for twice. The old one is worth nothing then.
  await settings.getByText('New keys', { exact: true }).click();
  await settings.getByLabel('I will change it everywhere').check();
  await settings.getByRole('button', { name: 'Make new keys' }).click();
  await expect(settings.getByText('There are new keys.')).toBeVisible();
  const renewed = await readSender(page);
  expect(renewed.key).not.toBe(sender.key);
  expect(await send(request, sender, mark)).toBe(401);
  expect(await send(request, renewed, mark)).toBe(200);

  // What is recorded of it is a setting of its own.
  await settings.getByLabel('Record').selectOption('errors');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(settings.getByText('Saved.')).toBeVisible();
  expect(await send(request, renewed, '/not-kept')).toBe(200);
  await openHydrated(page, `/flights?app=${sender.app}`);
  await expect(rows).toHaveCount(3);

  await openHydrated(page, `/apps/${sender.app}`);
  await settings.getByText('Delete this app').click();
  await settings.getByLabel('Type its name').fill('another');
  await settings.getByRole('button', { name: 'Delete it and its data' }).click();
  await expect(settings.getByText('that is not the name of this app')).toBeVisible();
  await settings.getByLabel('Type its name').fill(renamed);
  await settings.getByRole('button', { name: 'Delete it and its data' }).click();
  await expect(page).toHaveURL('/apps');
  await expect(page.getByRole('link', { name: renamed, exact: true })).toHaveCount(0);
  expect(await send(request, renewed, mark)).toBe(401);
  await expect(page.getByText('is being deleted')).toHaveCount(0);
  await openHydrated(page, `/flights?app=${sender.app}`);
  await expect(page.getByRole('link', { name: mark })).toHaveCount(0);
});

for (const hasScripts of [true, false]) {
  test(`its page begins with what an app of its kind needs${hasScripts ? '' : ', without JavaScript too'}`, async ({
    page,
    request,
    browser,
    baseURL,
  }) => {
    await openHydrated(page, '/apps');
    await addApp(page, name());
    const sender = await readSender(page);
    const shown = hasScripts ? page : await openWithoutJavaScript(browser, baseURL);
    await shown.goto(`/apps/${sender.app}`);
    const first = shown.getByRole('region', { name: 'Set it up' });
    // `run` and its own command need a folder that the app shares, which PostgreSQL has none of.
    // This server was started in its clone, so that is what npx is given.
    await expect(first).toContainText(isOnPostgres ? 'flight-recorder proxy --to' : `npx ${process.cwd()} run --app`);
    await first.getByRole('link', { name: 'Express, other servers' }).click();
    await expect(shown).toHaveURL(`/apps/${sender.app}?for=server`);
    await expect(first).toContainText('Sentry.init({ dsn:');
    await expect(first).not.toContainText('instrumentation.ts');
    expect(await sendError(request, sender, 'of Next.js')).toBeLessThan(300);
    await shown.goto(`/apps/${sender.app}`);
    await expect(first).toContainText("export { onRequestError } from 'flight-recorder/next';");
    if (hasScripts) await expect(first.getByRole('button', { name: 'Copy instrumentation.ts' })).toBeVisible();
    // The rest is folded.
    await expect(shown.getByText('From a Sentry SDK: another DSN')).toBeHidden();
    await shown.getByText('All ways to set it up').click();
    await expect(shown.getByText('From a Sentry SDK: another DSN')).toBeVisible();
  });
}

test('where there are other apps the list is of them first, and this server’s own are one click away', async ({
  page,
  request,
}) => {
  await openHydrated(page, '/apps');
  await addApp(page, name());
  const sender = await readSender(page);
  const mark = `/first-${sender.app}`;
  expect(await send(request, sender, mark)).toBe(200);
  const own = `own-${sender.app}`;
  await request.get(`/lab/slow?ms=0&${own}=1`, { headers: { accept: 'text/html' } });
  const table = page.getByRole('table', { name: 'Flights' });
  await expect(async () => {
    await page.goto('/flights');
    await expect(table.getByRole('link', { name: mark })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(table.getByRole('link', { name: own })).toHaveCount(0);
  await page.getByRole('link', { name: 'Include Flight Recorder itself' }).click();
  await expect(page).toHaveURL('/flights?own=1');
  await expect(table.getByRole('link', { name: own })).toBeVisible();
  await expect(table.getByRole('link', { name: mark })).toBeVisible();
  await page.getByRole('link', { name: 'Leave out Flight Recorder itself' }).click();
  await expect(page).toHaveURL('/flights');
});

test('all of it works without JavaScript', { tag: '@daily' }, async ({ browser, baseURL, request }) => {
  const page = await openWithoutJavaScript(browser, baseURL);
  await page.goto('/apps');
  const called = name();
  await addApp(page, called);
  const sender = await readSender(page);
  await expect(page.locator('noscript')).toBeVisible();
  expect(await send(request, sender, '/plain')).toBe(200);
  await page.reload();
  await expect(page.getByText('Flights come: the latest')).toBeVisible();

  const settings = page.getByRole('region', { name: 'Settings' });
  const renamed = name();
  await settings.getByLabel('Name').first().fill(renamed);
  await settings.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(renamed);
  await settings.getByText('New keys', { exact: true }).click();
  await settings.getByLabel('I will change it everywhere').check();
  await settings.getByRole('button', { name: 'Make new keys' }).click();
  expect((await readSender(page)).key).not.toBe(sender.key);
  await settings.getByLabel('Record').selectOption('errors');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(settings.getByLabel('Record')).toHaveValue('errors');

  // The list of one app, by a link or, where there are many apps, by a menu.
  await page.goto(`/flights?app=${sender.app}`);
  await expect(page.getByRole('table', { name: 'Flights' }).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(new RegExp(`app=${sender.app}`));

  await page.goto(`/apps/${sender.app}`);
  await settings.getByText('Delete this app').click();
  await settings.getByLabel('Type its name').fill('another');
  await settings.getByRole('button', { name: 'Delete it and its data' }).click();
  await expect(page.getByText('that is not the name of this app')).toBeVisible();
  await page.goto(`/apps/${sender.app}`);
  await settings.getByText('Delete this app').click();
  await settings.getByLabel('Type its name').fill(renamed);
  await settings.getByRole('button', { name: 'Delete it and its data' }).click();
  await expect(page).toHaveURL('/apps');
  await expect(page.getByRole('link', { name: renamed, exact: true })).toHaveCount(0);
  await page.context().close();
});

test('a name that cannot be one stays in the field, with the reason', async ({ page }) => {
  await openHydrated(page, '/apps');
  await page.getByLabel('Name').fill('…');
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('alert')).toContainText('A name has one to 80 characters');
  await expect(page.getByLabel('Name')).toHaveValue('…');
});

test('the lists of errors and of prefetches are of one app too', async ({ page, expectConsoleErrors }) => {
  expectConsoleErrors(/404/);
  await openHydrated(page, '/apps');
  const called = name();
  await addApp(page, called);
  const { app } = await readSender(page);
  await page.goto(`/?app=${app}`);
  await waitUntilHydrated(page);
  await expect(page.getByText(`No error of ${called} so far`)).toBeVisible();
  await page.goto(`/flights/prefetches?app=${app}`);
  await expect(page.getByText('No prefetch is kept')).toBeVisible();
  await page.goto(`/apps/${app}-not-there`);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(called);
});

test('an app page fits a narrow screen', async ({ page }) => {
  await openHydrated(page, '/apps');
  await addApp(page, name());
  await page.setViewportSize({ width: 390, height: 800 });
  const { app } = await readSender(page);
  for (const path of ['/apps', `/apps/${app}`, `/flights?app=${app}`, `/?app=${app}`]) {
    await openHydrated(page, path);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), path).toBe(0);
  }
});
