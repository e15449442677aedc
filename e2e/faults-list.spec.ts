import { randomBytes, randomUUID } from 'node:crypto';

import type { APIRequestContext, Page } from 'playwright/test';

import { addApp } from './testing/add-app.ts';
import { expect, test } from './testing/test.ts';

type Sent = {
  readonly message?: string;
  /** Faults differ by their file. */
  readonly file?: string;
  readonly release?: string;
  readonly traceId?: string;
  readonly digest?: string;
};

type App = {
  readonly name: string;
  /** Sends errors, at most twenty; gives their events' ids. */
  readonly send: (...sent: readonly Sent[]) => Promise<string[]>;
};

function toError({ message = 'no price', file = 'src/cart.ts', release = 'v1', traceId, digest }: Sent) {
  return {
    id: randomBytes(16).toString('hex'),
    time: Date.now(),
    digest,
    phase: 'rsc',
    route: '/orders/[id]',
    request: { method: 'GET', path: '/orders/7', traceId },
    release,
    name: 'TypeError',
    message,
    stack: `TypeError: ${message}`,
    frames: [{ fn: 'addItem', file: `/srv/${file}`, source: file, line: 7, column: 9, inApp: true }],
  };
}

/** An app of the test's own, so that its list has nothing of others. */
async function openApp(request: APIRequestContext): Promise<App> {
  const name = `faults-${randomUUID().slice(0, 8)}`;
  const key = await addApp(name);
  return {
    name,
    async send(...sent) {
      const errors = sent.map(toError);
      const response = await request.post(`/api/${name}/errors`, {
        headers: { authorization: `Bearer ${key}` },
        data: { errors },
      });
      expect(await response.json()).toEqual({ received: sent.length, added: sent.length });
      return errors.map(({ id }) => id);
    },
  };
}

/** What a busy PostgreSQL does not take at once is kept beside it, and written soon. */
async function openList(page: Page, { name }: App, count: string): Promise<void> {
  await expect(async () => {
    await page.goto(`/faults?app=${name}`);
    await expect(page.getByText(count, { exact: true })).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

/** As a browser's SDK sends it, with the key that anybody can read. */
async function reportCrash(request: APIRequestContext, dsn: URL, value: string): Promise<void> {
  const event = { event_id: randomBytes(16).toString('hex') };
  const lines = [event, { type: 'event' }, { exception: { values: [{ type: 'Error', value }] } }];
  const response = await request.post(`${dsn.origin}/api${dsn.pathname}/envelope/?sentry_key=${dsn.username}`, {
    data: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(response.status()).toBe(200);
}

function rowsOf(page: Page) {
  return page.getByRole('table', { name: 'Faults' }).locator('tbody').getByRole('row');
}

/** How often the page's document and its payload name each style sheet. */
function countStyleSheets(text: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [href] of text.matchAll(/\/assets\/[\w-]+\.css/g)) counts[href] = (counts[href] ?? 0) + 1;
  return counts;
}

// The framework sends the style sheets of a server component's module with each use of it.
test('a style sheet is not sent again with each row', async ({ page, request }) => {
  const app = await openApp(request);
  const readCounts = async () => countStyleSheets(await (await page.request.get(`/faults?app=${app.name}`)).text());
  await app.send({ file: 'src/0.ts' });
  await openList(page, app, '1 fault');
  const ofOne = await readCounts();
  await app.send(...Array.from({ length: 12 }, (_, at) => ({ file: `src/${at}.ts` })));
  await openList(page, app, '12 faults');
  expect(Object.keys(ofOne).length).toBeGreaterThan(1);
  expect(await readCounts()).toEqual(ofOne);
  for (const path of ['/protocol', '/lab', '/apps']) {
    const counts = countStyleSheets(await (await page.request.get(path)).text());
    expect(Math.max(...Object.values(counts)), path).toBeLessThan(10);
  }
});

test('a new fault comes into the open list by itself, and is only told of while somebody types', async ({
  page,
  request,
}) => {
  const app = await openApp(request);
  await page.goto(`/faults?app=${app.name}`);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  await app.send({ message: 'no stock', file: 'src/stock.ts' });
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(rowsOf(page)).toContainText('no stock');
  await page.getByRole('main').getByRole('searchbox').first().focus();
  await app.send({ message: 'no price' });
  await page.getByRole('button', { name: '1 new fault' }).click();
  await expect(rowsOf(page)).toHaveCount(2);
  await page.goto(`/faults?app=${app.name}&level=error`);
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(page.getByText('live', { exact: true })).toHaveCount(0);
});

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Digest, id or words' }).fill(text);
  await page.getByRole('button', { name: 'Search' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'the list of faults' : 'the list of faults, without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('has the crashes that only browsers told of too, after those of servers', async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      await page.goto(`/apps/${app.name}`);
      const dsn = await page
        .getByText(/^https?:\/\/\w+@[^/]+\/\d+$/)
        .first()
        .textContent();
      await reportCrash(request, new URL(dsn?.trim() ?? ''), 'no window');
      await page.goto(`/faults?app=${app.name}`);
      await expect(rowsOf(page)).toHaveCount(1);
      await expect(rowsOf(page)).toContainText('no price');
      await page.getByRole('link', { name: '1 more from browsers alone' }).click();
      const untrusted = page
        .getByRole('table', { name: 'Known from browsers alone' })
        .locator('tbody')
        .getByRole('row');
      await expect(untrusted).toHaveCount(1);
      await expect(untrusted).toContainText('no window');
      await expect(untrusted).toContainText('1 untrusted');
      await expect(page.getByRole('main')).not.toContainText(/\b0 (?:errors|events)/);
      await untrusted.getByRole('link').click();
      await expect(page.getByRole('heading', { level: 1 })).toContainText('no window');
      await expect(page.getByRole('main')).not.toContainText(/\b0 (?:errors|events)/);
    });

    test('has a row for each fault, with how often and when it occurred', async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      await app.send({});
      await app.send({ message: 'lost order', file: 'src/order.ts' });
      await page.goto(`/faults?app=${app.name}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Faults');
      await expect(page.getByText('2 faults', { exact: true })).toBeVisible();
      await expect(rowsOf(page)).toHaveCount(2);
      const row = rowsOf(page).filter({ hasText: 'no price' });
      await expect(row).toContainText('src/cart.ts · addItem');
      await expect(row).toContainText('new');
      await expect(row.getByRole('img', { name: '2 in the last 24 hours, at most 2 in an hour' })).toBeVisible();
      await page.getByRole('link', { name: 'Last 24 h' }).click();
      await expect(row.getByRole('img', { name: '2 in the last 14 days, at most 2 in a day' })).toBeVisible();
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      await expect(page).toHaveURL(/sort=count/);
      await expect(rowsOf(page).first()).toContainText('no price');
    });

    test('is filtered by a form, and says how many are left of how many', async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      await app.send({ message: 'lost order', file: 'src/order.ts', release: 'v2' });
      await page.goto(`/faults?app=${app.name}`);
      const filter = page.getByRole('form', { name: 'Filter' });
      await filter.getByLabel('Release').fill('v2');
      await filter.getByRole('button', { name: 'Filter' }).click();
      await expect(page).toHaveURL(/release=v2/);
      await expect(page.getByText('1 of 2 faults')).toBeVisible();
      await expect(rowsOf(page)).toHaveText(/lost order/);
      await filter.getByLabel('Level').selectOption('fatal');
      await filter.getByRole('button', { name: 'Filter' }).click();
      await expect(page.getByRole('heading', { name: 'No fault like this' })).toBeVisible();
      await page.getByRole('link', { name: 'Clear the filter' }).click();
      await expect(page).toHaveURL(`/faults?app=${app.name}`);
      await expect(rowsOf(page)).toHaveCount(2);
    });

    test('is searched for words of any error', async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      const [found] = await app.send({ message: 'the zeppelin landed' });
      await app.send({ message: 'lost order', file: 'src/order.ts' });
      await app.send({});
      await page.goto(`/faults?app=${app.name}`);
      await search(page, '"the zeppelin" addItem lan');
      await expect(page.getByText('1 of 2 faults')).toBeVisible();
      await expect(rowsOf(page).getByRole('link').first()).toHaveAttribute(
        'href',
        new RegExp(`^/faults/[0-9a-z]{8}\\?error=${app.name}\\.${found}$`),
      );
      await search(page, 'zeppelin submarine');
      await expect(page.getByRole('heading', { name: 'Nothing found for “zeppelin submarine”' })).toBeVisible();
      await page.getByRole('link', { name: 'Clear the search' }).click();
      await expect(rowsOf(page)).toHaveCount(2);
    });

    test('its search box leads a digest, an event and a trace to their page', async ({ page, request }) => {
      const app = await openApp(request);
      const traceId = randomBytes(16).toString('hex');
      const digest = `${String(Math.floor(Math.random() * 1e9) + 1e9)}`;
      const [event = ''] = await app.send({ traceId, digest });
      const error = new RegExp(`^/faults/[0-9a-z]{8}\\?error=${app.name}\\.${event}$`);
      for (const [typed, leads] of [
        [`Digest: ${digest}`, new RegExp(`^/digest/${digest}$`)],
        [event, error],
        [event.toUpperCase(), error],
        [traceId, error],
      ] as const) {
        const response = await page.request.get('/faults', { params: { q: typed }, maxRedirects: 0 });
        expect([typed, response.status()]).toEqual([typed, 307]);
        expect(response.headers()['location']).toMatch(leads);
      }
      await page.goto('/faults');
      await search(page, `Digest: ${digest}`);
      await expect(page).toHaveURL(`/digest/${digest}`);
    });

    test('its search box lists the faults of a trace when there are several', async ({ page, request }) => {
      const app = await openApp(request);
      const traceId = randomBytes(16).toString('hex');
      const [, inTrace = ''] = await app.send(
        { traceId },
        { traceId, message: 'lost order', file: 'src/order.ts' },
        { message: 'elsewhere', file: 'src/other.ts' },
      );
      await page.goto('/faults');
      await search(page, traceId);
      await expect(rowsOf(page)).toHaveCount(2);
      await expect(page.getByText(`All of these occurred in the trace ${traceId}`)).toBeVisible();
      await rowsOf(page).filter({ hasText: 'lost order' }).getByRole('link').first().click();
      await expect(page).toHaveURL(new RegExp(`/faults/[0-9a-z]{8}\\?error=${app.name}\\.${inTrace}`));
      await page.goto(`/digest?code=${traceId}`);
      await expect(rowsOf(page)).toHaveCount(2);
    });

    test('resolves what is ticked, says so, and takes it back', { tag: '@daily' }, async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      await app.send({ message: 'lost order', file: 'src/order.ts' });
      await page.goto(`/faults?app=${app.name}`);
      await rowsOf(page).filter({ hasText: 'no price' }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      const notice = page.getByRole('status').filter({ hasText: '1 fault resolved' });
      await expect(notice).toBeVisible();
      await expect(rowsOf(page)).toHaveText(/lost order/);
      await expect(page.getByText('1 of 2 faults are open')).toBeVisible();
      await notice.getByRole('button', { name: 'Undo' }).click();
      await expect(rowsOf(page)).toHaveCount(2);
    });

    test('chooses a page at once, and snoozes, mutes, opens and merges', async ({ page, request }) => {
      const app = await openApp(request);
      await app.send({});
      await app.send({ message: 'lost order', file: 'src/order.ts' });
      await page.goto(`/faults?app=${app.name}`);
      await page.getByRole('link', { name: 'all 2', exact: true }).click();
      await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(2);
      await page.getByLabel('Snooze for how long').selectOption('for a week');
      await page.getByRole('button', { name: 'Snooze' }).click();
      await expect(page.getByText('2 faults snoozed')).toBeVisible();
      await expect(page.getByRole('heading', { name: 'No open fault' })).toBeVisible();
      await page.goto(`/faults?app=${app.name}&state=snoozed&chosen=all`);
      await page.getByRole('button', { name: 'Mute' }).click();
      await expect(page.getByText('2 faults muted')).toBeVisible();
      await page.goto(`/faults?app=${app.name}&state=muted&chosen=page`);
      await page.getByRole('button', { name: 'Reopen' }).click();
      await expect(page.getByText('2 faults reopened')).toBeVisible();
      await page.goto(`/faults?app=${app.name}`);
      await page.getByRole('checkbox').last().check();
      await page.getByRole('button', { name: 'Merge' }).click();
      await expect(page.getByText('Choose at least two faults to merge.')).toBeVisible();
      await page.goto(`/faults?app=${app.name}&chosen=page`);
      await page.getByRole('button', { name: 'Merge' }).click();
      await expect(page.getByText('merged into one')).toBeVisible();
      await expect(rowsOf(page)).toHaveCount(1);
    });

    test('says what to do first where there is none', async ({ page, request }) => {
      const app = await openApp(request);
      await page.goto(`/faults?app=${app.name}`);
      await expect(page.getByRole('heading', { name: /^No fault of .* so far$/ })).toBeVisible();
      await page.getByRole('link', { name: 'See how to set it up' }).click();
      await expect(page).toHaveURL(`/apps/${app.name}`);
    });
  });
}

for (const [where, path] of [
  ['the list', '/faults'],
  ['home', '/'],
] as const) {
  test(`${where} says a fault in three lines on a phone, and its whole title is a link`, async ({ page, request }) => {
    const app = await openApp(request);
    const message = 'no price for the third item of the cart that was filled yesterday evening';
    await app.send({ message, file: 'src/a-folder-with-a-long-name/another-one/cart-of-yesterday.ts' });
    await app.send({ message });
    await app.send({ message, file: 'src/a-folder-with-a-long-name/another-one/cart-of-yesterday.ts' });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${path}?app=${app.name}`);
    const row = rowsOf(page).filter({ hasText: 'another-one' });
    await expect(row.getByRole('link')).toHaveText(`TypeError ${message}`);
    await expect(row.getByRole('link')).toHaveCSS('text-decoration-line', 'underline');
    await expect(row.getByText('open', { exact: true })).toHaveCount(0);
    const box = await row.boundingBox();
    expect(box?.height).toBeLessThan(90);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const numbers = await row.locator('td:visible', { hasNotText: /^$/ }).allInnerTexts();
    expect(numbers).toEqual(['2 events', expect.stringMatching(/^last \S/)]);
  });
}

test('what to do with many stands above the list, and stays in sight while something is ticked', async ({
  page,
  request,
}) => {
  const app = await openApp(request);
  const sent = Array.from({ length: 20 }, (_, at) => ({ message: `number ${at}`, file: `src/file-${at}x.ts` }));
  await app.send(...sent);
  await page.setViewportSize({ width: 390, height: 800 });
  await openList(page, app, '20 faults');
  const resolve = page.getByRole('button', { name: 'Resolve', exact: true });
  const [bar, first] = [await resolve.boundingBox(), await rowsOf(page).first().boundingBox()];
  if (!bar || !first) throw new Error('One of them has no box');
  expect(bar.y + bar.height).toBeLessThanOrEqual(first.y);
  await rowsOf(page).last().getByRole('checkbox').check();
  await expect(resolve).toBeInViewport();
});

test('pages go on where the one before ended, with links', async ({ page, request }) => {
  const app = await openApp(request);
  const sent = Array.from({ length: 52 }, (_, at) => ({ message: `number ${at}`, file: `src/file-${at}x.ts` }));
  for (let at = 0; at < sent.length; at += 20) await app.send(...sent.slice(at, at + 20));
  await openList(page, app, '52 faults');
  await expect(rowsOf(page)).toHaveCount(50);
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(rowsOf(page)).toHaveCount(2);
  await page.getByRole('link', { name: 'Newer' }).click();
  await expect(rowsOf(page)).toHaveCount(50);
  await page.goto(`/faults?app=${app.name}&chosen=all`);
  await expect(page.getByText('All 52 faults that match are chosen.')).toBeVisible();
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  await expect(page.getByText('52 faults resolved')).toBeVisible();
});
