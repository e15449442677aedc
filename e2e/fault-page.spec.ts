import { randomBytes, randomInt } from 'node:crypto';

import type { APIRequestContext, Page } from 'playwright/test';

import { breakPage } from './testing/break-page.ts';
import { postErrors } from './testing/post-error.ts';
import { expect, test } from './testing/test.ts';

/** Errors of one fault, each with another digest and path, oldest first. */
async function postFault(request: APIRequestContext, count: number): Promise<readonly string[]> {
  const mark = randomBytes(4).toString('hex');
  const digests = Array.from({ length: count }, () => String(randomInt(1_000_000_000, 2 ** 32)));
  const same = { fn: `load${mark}`, cause: 'connection refused' };
  const errors = digests.map((digest, index) => ({
    ...same,
    digest,
    path: `/orders/${index + 1}`,
    message: `no order ${index + 1}`,
    release: `${index === 0 ? 'one' : 'two'}-${mark}`,
  }));
  await postErrors(request, errors);
  return digests;
}

function createDigest(): string {
  return String(randomInt(1_000_000_000, 2 ** 32));
}

async function openFault(page: Page, digest: string): Promise<void> {
  await page.goto(`/digest/${digest}`);
  await page.getByRole('link', { name: /errors? of this fault$/ }).click();
  await expect(page).toHaveURL(/\/faults\/[\da-z]{8}\?error=/);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'the page of a fault' : 'the page of a fault, without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('says what broke, where, since when and how often', { tag: '@daily' }, async ({ page, request }) => {
      const digests = await postFault(request, 3);
      await openFault(page, digests[2] ?? '');
      await expect(page).toHaveTitle(/^TypeError: no order 3 · Flight Recorder$/);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('TypeError: no order 3');
      const header = page.locator('main header');
      await expect(header).toContainText('3 of 3 kept');
      await expect(header).toContainText(/app\/orders\/load\.ts · load/);
      await expect(page.getByRole('img', { name: /^3 errors from .* UTC/ })).toBeVisible();
      await expect(page.getByRole('region', { name: 'Triage' })).toContainText('Opened');
      await expect(page.getByRole('region', { name: 'What happened to it' })).toContainText('First seen');
      await expect(page.getByRole('region', { name: 'What changed' })).toContainText(/First seen in release one-/);
      await expect(page.getByRole('region', { name: 'Why these are one fault' })).toContainText(
        'same type, the same function of the app’s own code, the same line of source and the same',
      );
    });

    test('goes through the errors one by one, and knows the end', async ({ page, request }) => {
      const digests = await postFault(request, 3);
      await openFault(page, digests[2] ?? '');
      const steps = page.getByRole('navigation', { name: 'Errors one by one' });
      const facts = page.getByRole('region', { name: 'Request' });
      await expect(steps).toContainText('The newest of 3 kept');
      await expect(facts).toContainText('/orders/3');
      await expect(steps.getByRole('link', { name: 'Newer' })).toHaveCount(0);
      await steps.getByRole('link', { name: 'Older' }).click();
      await expect(facts).toContainText('/orders/2');
      await expect(steps).toContainText('2nd newest of 3 kept');
      await steps.getByRole('link', { name: 'Oldest' }).click();
      await expect(facts).toContainText('/orders/1');
      await expect(steps).toContainText('The oldest of 3 kept');
      await expect(steps.getByRole('link', { name: 'Older' })).toHaveCount(0);
      await steps.getByRole('link', { name: 'Newest' }).click();
      await expect(facts).toContainText('/orders/3');
      const rows = page.getByRole('table', { name: 'Errors' }).getByRole('row').filter({ hasText: '/orders/2' });
      await rows.getByRole('link').click();
      await expect(facts).toContainText('/orders/2');
    });

    test('lists the errors page by page, whatever is shown', async ({ page, request }) => {
      const digests = await postFault(request, 23);
      await openFault(page, digests[0] ?? '');
      const table = page.getByRole('table', { name: 'Errors' });
      const pages = page.getByRole('navigation', { name: 'Pages of errors' });
      await expect(table.getByRole('row')).toHaveCount(21);
      await pages.getByRole('link', { name: 'Older ones' }).click();
      await expect(table.getByRole('row')).toHaveCount(4);
      await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/1');
      await table.getByRole('row').filter({ hasText: '/orders/2' }).getByRole('link').click();
      await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/2');
      await expect(table.getByRole('row')).toHaveCount(4);
      await pages.getByRole('link', { name: 'Newer ones' }).click();
      await expect(table.getByRole('row')).toHaveCount(21);
      await expect(pages.getByRole('link', { name: 'Newer ones' })).toHaveCount(0);
    });

    test('shows the cause with its source, folded frames and the chain of causes', async ({ page, request }) => {
      const [digest = ''] = await postFault(request, 1);
      await openFault(page, digest);
      const cause = page.getByRole('region', { name: 'Where it was thrown' });
      const source = cause.getByRole('figure', { name: 'Source of app/orders/load.ts:7:9' });
      await expect(source.locator('pre > span').filter({ hasText: 'here: 7' })).toContainText('throw new TypeError');
      await expect(cause.getByText('2 frames of react-dom and Node')).toBeVisible();
      await expect(cause.getByText('processTicks')).toBeHidden();
      await cause.getByText('2 frames of react-dom and Node').click();
      await expect(cause.getByText('processTicks')).toBeVisible();
      await expect(cause).toContainText('Caused by Error: connection refused');
      await expect(cause.locator('details', { hasText: 'connection refused' })).toContainText(
        '/srv/shop/lib/db.js:3:9',
      );
    });

    test('spreads what the errors have over its values', async ({ page, request }) => {
      const digests = await postFault(request, 4);
      await openFault(page, digests[0] ?? '');
      const tags = page.getByRole('region', { name: 'Tags', exact: true });
      await expect(tags).toContainText('of 4 kept');
      const lines = tags.getByRole('region', { name: 'release' }).getByRole('listitem');
      await expect(lines).toHaveText([/two-[\da-f]+\s*75 %/, /one-[\da-f]+\s*25 %/]);
      await expect(tags.getByRole('region', { name: 'The same in all' })).toContainText('/orders/[id]');
    });

    test('is resolved, reopened, snoozed and muted, and each of it can be undone', async ({ page, request }) => {
      const [digest = ''] = await postFault(request, 1);
      await openFault(page, digest);
      const [triage, log] = [
        page.getByRole('region', { name: 'Triage' }),
        page.getByRole('region', { name: 'What happened to it' }).getByRole('listitem'),
      ];
      await expect(page.getByText('new', { exact: true })).toBeVisible();
      await triage.getByRole('button', { name: 'Resolve', exact: true }).click();
      await expect(triage).toContainText('The next error opens it again');
      await expect(page.getByText('new', { exact: true })).toHaveCount(0);
      await expect(page.getByRole('status').filter({ hasText: '1 fault resolved' })).toBeVisible();
      await expect(log.first()).toContainText('Resolved by the operator');
      await log.first().getByRole('button', { name: 'Undo' }).click();
      await expect(triage).toContainText('Opened');
      await expect(page.getByText('new', { exact: true })).toBeVisible();
      await expect(log.first()).toContainText('First seen');
      await page.getByText('1 undone', { exact: true }).click();
      await expect(log.filter({ hasText: 'Resolved by the operator' })).toBeVisible();

      await triage.getByText('Resolve in a release').click();
      await triage.getByRole('button', { name: 'In the next release' }).click();
      await expect(triage).toContainText('Resolved in the next release');
      await triage.getByRole('button', { name: 'Reopen' }).click();
      await expect(triage).toContainText('Opened');

      await triage.locator('summary', { hasText: 'Snooze' }).click();
      await triage.getByRole('button', { name: '24 h' }).click();
      await expect(triage).toContainText(/until \d{4}-\d\d-\d\d/);
      await triage.locator('summary', { hasText: 'Snooze' }).click();
      await triage.getByLabel('so many times').fill('7');
      await triage.getByRole('button', { name: 'Snooze' }).click();
      await expect(triage).toContainText('until it occurs 7 times within an hour');
      await triage.getByRole('button', { name: 'Mute' }).click();
      await expect(triage).toContainText('nobody is told');
      await expect(log.first()).toContainText('Muted by the operator');
    });

    test('an error after a resolve says regressed', async ({ page, request }) => {
      const sent = { digest: String(randomInt(1_000_000_000, 2 ** 32)), fn: `load${randomBytes(4).toString('hex')}` };
      await postErrors(request, [sent]);
      await openFault(page, sent.digest);
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await expect(page.getByRole('region', { name: 'Triage' })).toContainText('Resolved');
      await postErrors(request, [{ ...sent, release: 'after' }]);
      await page.goto(new URL(page.url()).pathname);
      await expect(page.getByText('regressed', { exact: true })).toBeVisible();
      const log = page.getByRole('region', { name: 'What happened to it' }).getByRole('listitem');
      await expect(log.first()).toContainText('Regressed with release after');
    });

    test('takes another fault over by its pasted address, and gives one of its fingerprints back', async ({
      page,
      request,
    }) => {
      const [[one = ''], [two = '']] = [await postFault(request, 1), await postFault(request, 1)];
      await openFault(page, two);
      const other = page.url();
      await openFault(page, one);
      const grouping = page.getByRole('region', { name: 'Why these are one fault' });
      await grouping.getByText('Merge another fault into this one').click();
      await grouping.getByLabel('Its address, or its id').fill(other);
      await grouping.getByRole('button', { name: 'Merge' }).click();
      await expect(grouping).toContainText('2 fingerprints were put together');
      await expect(page.getByRole('region', { name: 'What happened to it' }).getByRole('listitem')).toHaveText([
        /^Took over 1 other fault by the operator/,
        /^First seen/,
      ]);
      await expect(page.locator('main header')).toContainText('2 of 2 kept');
      const here = new URL(page.url()).pathname;
      await page.goto(other);
      await expect(page).toHaveURL(new RegExp(`${here}\\?error=`));
      await grouping.getByRole('checkbox').first().check();
      await grouping.getByRole('button', { name: 'Split off the chosen ones' }).click();
      await expect(grouping).toContainText('The same type');
      await expect(grouping.getByRole('checkbox')).toHaveCount(0);
      await expect(page.locator('main header')).toContainText('1 of 1 kept');
      const log = page.getByRole('region', { name: 'What happened to it' }).getByRole('listitem');
      await log.first().getByRole('button', { name: 'Undo' }).click();
      await expect(page.locator('main header')).toContainText('2 of 2 kept');
    });

    test('splits a fault by its messages, for what comes too, and takes it back', async ({ page, request }) => {
      const fn = `load${randomBytes(4).toString('hex')}`;
      const send = (message: string) => postErrors(request, [{ fn, message, digest: createDigest() }]);
      const digest = createDigest();
      await postErrors(request, [{ fn, message: 'no order 1', digest }]);
      await send('no order 2');
      await send('no price 3');
      await openFault(page, digest);
      const header = page.locator('main header');
      await expect(header).toContainText('3 of 3 kept');
      const grouping = page.getByRole('region', { name: 'Why these are one fault' });
      await grouping.getByText('Split it by what its errors differ in').click();
      await expect(grouping.getByRole('radio')).toHaveCount(1);
      await expect(grouping.getByRole('group').first()).toContainText('2×no order <n>1×no price <n>');
      await grouping.getByRole('radio', { name: /by the message, values aside: 2 faults/ }).check();
      await grouping.getByRole('button', { name: 'Split', exact: true }).click();
      await expect(page.getByText('Split into several faults')).toBeVisible();
      await expect(header).toContainText('2 of 2 kept');
      await expect(grouping).toContainText('Split by message no order <n>');
      await send('no order 4');
      await send('no price 5');
      await page.reload();
      await expect(header).toContainText('3 of 3 kept');
      const log = page.getByRole('region', { name: 'What happened to it' }).getByRole('listitem');
      await expect(log.first()).toContainText('Split by its messages by the operator');
      await log.first().getByRole('button', { name: 'Undo' }).click();
      await expect(header).toContainText('5 of 5 kept');
    });
  });
}

test('the timeline has the request, its flight and the error in their order', async ({ page, request }) => {
  await openFault(page, await breakPage(request, '/lab/throw-in-ssr'));
  const moments = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
  const flight = moments.filter({ hasText: 'GET /lab/throw-in-ssr → 500' });
  await expect(async () => {
    await page.reload();
    await expect(flight).toHaveCount(1, { timeout: 1_000 });
  }).toPass();
  await expect(moments.last()).toContainText('canary-in-ssr');
  await flight.getByRole('link').click();
  await expect(page).toHaveURL(/\/flights\/\d+$/);
});

test('a fault that nobody knows is a 404', async ({ page, expectConsoleErrors }) => {
  expectConsoleErrors(/404/);
  const response = await page.goto('/faults/00000000');
  expect(response?.status()).toBe(404);
});

test('an error that is not kept any more is said, and the newest is shown', async ({ page, request }) => {
  const [digest = ''] = await postFault(request, 1);
  await openFault(page, digest);
  await page.goto(`${new URL(page.url()).pathname}?error=shop.00000000000000000000000000000000`);
  await expect(page.getByRole('note')).toContainText('not kept any more');
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/1');
});
