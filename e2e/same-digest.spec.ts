import { randomInt } from 'node:crypto';

import { postError, postErrors } from './testing/post-error.ts';
import { removeError } from './testing/remove-error.ts';
import { expect, test } from './testing/test.ts';

/** As Next makes them: a decimal number of 32 bits. */
function createDigest(): string {
  return String(randomInt(1_000_000_000, 2 ** 32));
}

/** A full minute, some hours ago. */
function findMinute(): number {
  return Math.floor(Date.now() / 60_000) * 60_000 - 3 * 3_600_000;
}

function toField(time: number): string {
  return new Date(time).toISOString().slice(0, 19);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(
    javaScriptEnabled ? 'a digest of several visitors' : 'a digest of several visitors, without JavaScript',
    () => {
      test.use({ javaScriptEnabled });

      test(
        'is asked for by time and page; a guess says so and names the others',
        { tag: '@daily' },
        async ({ page, request }) => {
          const [digest, minute] = [createDigest(), findMinute()];
          const shared = { digest, fn: `load${digest}` };
          await postErrors(request, [
            { ...shared, path: '/orders/1', time: minute + 5_000 },
            { ...shared, path: '/orders/2', time: minute + 20_000 },
            { ...shared, path: '/orders/3', time: minute + 40_000 },
            { ...shared, path: '/orders/4', time: minute + 1_200_000 },
          ]);
          await page.goto(`/digest/${digest}`);
          const facts = page.getByRole('region', { name: 'Request' });
          await expect(facts).toContainText('/orders/4');
          const note = page.getByRole('note').first();
          await expect(note).toContainText('4 errors with it are kept. Below is the latest');
          await page.getByLabel('About when? (UTC)').fill(toField(minute));
          await page.getByRole('button', { name: 'Find it' }).click();
          await expect(note).toContainText('Below is a guess: the nearest of 3 that fit.');
          await expect(facts).toContainText('/orders/1');
          await expect(note.getByRole('listitem')).toHaveCount(2);
          await expect(page.getByLabel('About when? (UTC)')).toHaveValue(
            new RegExp(`^${toField(minute).slice(0, 16)}`),
          );
          await page.getByLabel('On which page?').fill('/orders/2');
          await page.getByRole('button', { name: 'Find it' }).click();
          await expect(note).toContainText('Below is the only one of that time and place.');
          await expect(facts).toContainText('/orders/2');
          await expect(page).toHaveURL(/path=%2Forders%2F2/);
          await page.goto(`/digest/${digest}?at=${toField(minute).slice(0, 16)}`);
          await note.getByRole('link').last().click();
          await expect(page).toHaveURL(/\/errors\/shop\.[\da-f]{32}$/);
          await expect(facts).toContainText('/orders/3');
        },
      );

      test('with marks of an address has its page, too', async ({ page, request }) => {
        const digest = `CART:a/b%41\\${createDigest()}`;
        await postErrors(request, [{ digest, message: `no ${digest}` }]);
        await page.goto('/digest');
        await page.getByRole('main').getByRole('searchbox').first().fill(digest);
        await page.getByRole('main').getByRole('searchbox').first().press('Enter');
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(`TypeError: no ${digest}`);
        await expect(page).toHaveURL(/\/digest\/CART%253Aa%252Fb%252541%255C\d+$/);
      });

      test('tells a time that is none', async ({ page, request }) => {
        const digest = createDigest();
        await postErrors(request, [{ digest }, { digest }]);
        await page.goto(`/digest/${digest}?at=noon`);
        await expect(page.getByLabel('About when? (UTC)')).toHaveAccessibleDescription(/noon is no time/);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('TypeError: no order');
      });

      test('of an error that was deleted leads to its fault', async ({ page, request }) => {
        const digest = `tri${randomInt(1e9).toString(36)}`;
        const message = `gone ${createDigest()}`;
        const id = await postError(request, { digest, message, fn: `load${createDigest()}` });
        await removeError(`shop.${id}`);
        await page.goto('/');
        await page.getByLabel('Digest, id or words').fill(digest.toUpperCase());
        await page.getByRole('button', { name: 'Search' }).click();
        await expect(page).toHaveTitle(`${digest} · Flight Recorder`);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('This error was deleted; its fault is here');
        const fault = page.getByRole('region', { name: 'Its fault' });
        await expect(fault).toContainText('/orders/[id]');
        await expect(fault.getByRole('time')).toBeVisible();
        await fault.getByRole('link', { name: message }).click();
        await expect(page).toHaveURL(/\/faults\/[\da-z]{8}$/);
        await expect(page.getByText('None of its errors is kept any more')).toBeVisible();
      });
    },
  );
}
