import { randomBytes } from 'node:crypto';

import { devices } from 'playwright/test';

import { glossary } from '#viewer/glossary.ts';
import { addApp } from './testing/add-app.ts';
import { breakPage } from './testing/break-page.ts';
import { operatorState } from './testing/login-link.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { postError } from './testing/post-error.ts';
import { expect, test } from './testing/test.ts';

const broken = '/lab/throw-before-shell';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'home' : 'home without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('leads from a digest to its cause', { tag: '@daily' }, async ({ page, request }) => {
      const digest = await breakPage(request, broken);
      await page.goto('/');
      await page.getByLabel('Digest, id or words').fill(digest);
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL(`/digest/${digest}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('thrown on purpose before the shell');
    });

    test('shows what is recorded in place of what it is for', async ({ page, request }) => {
      await breakPage(request, broken);
      await page.goto('/');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('The newest faults and flights');
      await expect(page.getByRole('region', { name: 'Record an app of yours' })).toHaveCount(0);
      const tops = await Promise.all(
        ['search', 'region'].map(async (role) => {
          const box = await page
            .getByRole(role === 'search' ? 'search' : 'region')
            .first()
            .boundingBox();
          return box?.y ?? 0;
        }),
      );
      expect(tops[0]).toBeLessThan(tops[1] ?? 0);
      await expect(page.getByRole('region', { name: 'Faults' }).getByRole('table')).toBeInViewport();
    });

    test('shows a digest as the app at hand writes it', async ({ page, request }) => {
      const id = `next-${randomBytes(4).toString('hex')}`;
      await postError(request, { app: id, digest: '2418436719' });
      await page.goto(`/?app=${id}`);
      await expect(page.getByRole('searchbox')).toHaveAttribute('placeholder', '2418436719');
      await page.goto('/?app=flight-recorder');
      await expect(page.getByRole('searchbox')).toHaveAttribute('placeholder', 'XXXXX-XXXXX');
    });

    test('says what a word means while it has the focus or the pointer', async ({ page, request }) => {
      await breakPage(request, broken);
      await page.goto('/');
      const faults = page.getByRole('region', { name: 'Faults', exact: true });
      const word = faults.getByRole('button', { name: 'Faults', exact: true });
      const says = faults.getByText(glossary.fault);
      await expect(says).toBeHidden();
      await word.hover();
      await expect(says).toBeVisible();
      await page.mouse.move(0, 0);
      await expect(says).toBeHidden();
      await word.focus();
      await expect(says).toBeVisible();
      await expect(word).toHaveAccessibleDescription(glossary.fault);
      await expect(faults).toHaveAccessibleName('Faults');
    });

    test('reads a digest as people write it', async ({ page, request }) => {
      const digest = await breakPage(request, broken);
      await page.goto('/');
      await page
        .getByLabel('Digest, id or words')
        .fill(` Digest: ${digest.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `);
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL(`/digest/${digest}`);
    });

    test('says that nothing was found, and keeps what was typed for correction', async ({ page }) => {
      await page.goto('/');
      await page.getByLabel('Digest, id or words').fill('ERR_500 on checkout');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL(/\/faults\?q=ERR_500\+on\+checkout$/);
      await expect(page.getByLabel('Digest, id or words')).toHaveValue('ERR_500 on checkout');
      await expect(page.getByRole('heading', { name: 'Nothing found for “ERR_500 on checkout”' })).toBeVisible();
      await expect(page.getByText('If it is a digest, it was misread')).toBeVisible();
    });

    test('names the digest that is nearly the one that was typed', async ({ page, request }) => {
      const digest = await breakPage(request, broken);
      const misread = `${digest.slice(0, -1)}${digest.endsWith('7') ? '3' : '7'}`;
      await page.goto('/');
      await page.getByLabel('Digest, id or words').fill(misread);
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByLabel('Digest, id or words')).toHaveValue(misread);
      await expect(page.getByText('One of the digests below may be meant')).toBeVisible();
      await page
        .getByRole('region', { name: /^Nearly the same/ })
        .getByRole('link', { name: digest })
        .click();
      await expect(page).toHaveURL(new RegExp(`/digest/${digest}`));
    });

    test('has one row for a fault, however often it occurs', async ({ page, request }) => {
      const rows = page.getByRole('table', { name: 'Faults' }).getByRole('row').filter({ hasText: 'ThrowBeforeShell' });
      await breakPage(request, broken);
      await page.goto('/');
      await expect(rows).toHaveCount(1);
      const count = async () =>
        Number(
          await rows
            .getByRole('cell')
            .nth(1)
            .innerText()
            .then((text) => /\d+/.exec(text)?.[0]),
        );
      const before = await count();
      await breakPage(request, broken);
      await breakPage(request, broken);
      await page.goto('/');
      expect(await count()).toBeGreaterThanOrEqual(before + 2);
      await expect(rows).toContainText('canary-before-shell');
      await expect(rows.getByRole('img')).toHaveAccessibleName(/^\d+ in the last 24 hours, at most \d+ in an hour$/);
      await expect(rows.getByRole('link')).toHaveAttribute('href', /^\/faults\/[0-9a-z]{8}$/);
    });

    test('leads to the flights of a slow route, and to the latest flights', async ({ page, request }) => {
      await request.get('/lab/slow?ms=1000');
      const flights = page.getByRole('region', { name: 'Latest flights' });
      await expect
        .poll(async () => {
          await page.goto('/?app=flight-recorder');
          return page.getByRole('region', { name: 'Slow routes' }).getByRole('listitem').count();
        })
        .toBeGreaterThan(0);
      await expect(page.getByRole('list', { name: 'Heavy routes' }).getByRole('listitem')).not.toHaveCount(0);
      expect(await flights.getByRole('listitem').count()).toBeLessThanOrEqual(5);
      await flights.getByRole('listitem').getByRole('link').first().click();
      await expect(page).toHaveURL(/\/flights\/\d+$/);
      await page.goto('/?app=flight-recorder');
      await page.getByRole('list', { name: 'Slow routes' }).getByRole('link').first().click();
      await expect(page).toHaveURL(/\/flights\?app=.+&kind=\w+&route=%22.+%22&sort=duration$/);
      await expect(page.getByRole('table', { name: 'Flights' }).getByRole('row')).not.toHaveCount(0);
    });

    test('shows what is new, slow and latest without scrolling', async ({ page, request }) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await breakPage(request, broken);
      for (const name of ['Faults', 'Slow routes', 'Latest flights']) {
        await expect(async () => {
          await page.goto('/?app=flight-recorder');
          await expect(page.getByRole('region', { name }).locator('li, td').first()).toBeInViewport({ ratio: 1 });
        }).toPass();
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
    });

    test('says of an app without errors how it gets some', async ({ page }) => {
      const id = `empty-${randomBytes(4).toString('hex')}`;
      await addApp(id);
      await page.goto(`/?app=${id}`);
      const faults = page.getByRole('region', { name: 'Faults' });
      await expect(faults.getByRole('heading', { name: /^No error of empty-/ })).toBeVisible();
      await faults.getByRole('link', { name: 'See how to set it up' }).click();
      await expect(page).toHaveURL(`/apps/${id}`);
    });
  });
}

test('has its field focused when it is opened, and not after a navigation or on a phone', async ({
  page,
  browser,
  baseURL,
}) => {
  const field = page.getByLabel('Digest, id or words');
  await openHydrated(page, '/');
  await expect(field).toBeFocused();
  await openHydrated(page, '/lab');
  await page.getByRole('banner').getByRole('link', { name: 'Flight Recorder' }).click();
  await expect(field).toBeVisible();
  await expect(field).not.toBeFocused();
  const { userAgent, viewport } = devices['Pixel 7'];
  const context = await browser.newContext({
    userAgent,
    viewport,
    storageState: operatorState,
    ...(baseURL ? { baseURL } : {}),
  });
  const phone = await context.newPage();
  await openHydrated(phone, '/');
  await expect(phone.getByLabel('Digest, id or words')).not.toBeFocused();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
  await context.close();
});

test('says what came while it was open, and shows it', async ({ page, request }) => {
  const id = `live-${randomBytes(4).toString('hex')}`;
  const authorization = `Bearer ${await addApp(id)}`;
  await openHydrated(page, `/?app=${id}`);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  const error = { id: randomBytes(16).toString('hex'), time: Date.now(), name: 'RangeError', message: 'no stock' };
  const sent = await request.post(`/api/${id}/errors`, { headers: { authorization }, data: { errors: [error] } });
  expect(sent.status()).toBe(200);
  await page.getByRole('button', { name: '1 new fault' }).click();
  const row = page.getByRole('table', { name: 'Faults' }).getByRole('row').filter({ hasText: 'no stock' });
  await expect(row).toContainText('RangeError');
  await expect(row).toContainText('new');
  await expect(page.getByRole('button', { name: '1 new fault' })).toHaveCount(0);
});
