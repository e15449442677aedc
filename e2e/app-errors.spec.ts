import { randomBytes, randomInt } from 'node:crypto';

import { postError } from './testing/post-error.ts';
import { expect, test } from './testing/test.ts';

/** As Next makes them: a decimal number of 32 bits. */
function createDigest(): string {
  return String(randomInt(1_000_000_000, 2 ** 32));
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'an error of another app' : 'an error of another app, without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test(
      'is found by what its error page shows, with the words around it',
      { tag: '@daily' },
      async ({ page, request }) => {
        const digest = createDigest();
        // A fault of its own: other journeys send the same error.
        const error = { digest: `${digest}@E394`, fn: `load${digest}` };
        await postError(request, error);
        await postError(request, { ...error, path: '/orders/8' });
        await page.goto('/');
        await page
          .getByLabel('Digest, id or words')
          .fill(`Application error: a server-side exception has occurred. Digest: ${digest}@E394`);
        await page.getByRole('button', { name: 'Search' }).click();
        await expect(page).toHaveTitle(`${digest}@E394 · Flight Recorder`);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('TypeError: no order');
        const source = page.getByRole('figure', { name: 'Source of app/orders/load.ts:7:9' });
        await expect(source.locator('pre > span').filter({ hasText: 'here: 7' })).toContainText('throw new TypeError');
        await expect(page.getByRole('note').first()).toContainText(
          'The same digest comes from every copy of this error',
        );
        await expect(page.getByRole('region', { name: 'Request' })).toContainText('shop');
        await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/8');
        await page.getByRole('region', { name: 'Same fault' }).getByRole('link', { name: '/orders/7' }).click();
        await expect(page).toHaveURL(/\/faults\/[\da-z]{8}\?error=shop\.[\da-f]{32}$/);
        await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/7');
        await page.goto(`/errors/${new URL(page.url()).searchParams.get('error')}`);
        await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/7');
        await page.getByRole('link', { name: 'All with this digest' }).click();
        await expect(page.getByRole('region', { name: 'Request' })).toContainText('/orders/8');
      },
    );

    test('is offered, with time and page, to somebody who misread its digest', async ({ page, request }) => {
      const digest = createDigest();
      await postError(request, { digest, path: '/checkout' });
      const misread = digest.slice(0, 4) + digest.slice(5);
      await page.goto(`/digest?code=${misread}`);
      const field = page.getByLabel('Digest, id or words');
      await expect(field).toHaveValue(misread);
      await expect(field).toHaveAccessibleDescription(/One of these may be meant/);
      const near = page.getByRole('region', { name: 'Nearly the same, from the last seven days' });
      const line = near.getByRole('listitem').filter({ hasText: digest });
      await expect(line).toContainText('/checkout');
      await expect(line.getByRole('time')).toBeVisible();
      await line.getByRole('link', { name: digest }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('TypeError: no order');
    });

    test('of which several apps know the digest: the page asks which', async ({ page, request }) => {
      const digest = createDigest();
      await postError(request, { digest, message: 'in the shop' });
      await postError(request, { digest, message: 'in the blog', app: 'blog' });
      await page.goto(`/digest?code=${digest}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Which app showed this digest?');
      const apps = page.getByRole('main').getByRole('listitem');
      await expect(apps).toHaveCount(2);
      await expect(apps.filter({ hasText: 'blog' })).toContainText('TypeError: in the blog');
      await expect(apps.filter({ hasText: 'shop' })).toContainText('TypeError: in the shop');
      await page.getByRole('main').getByRole('link', { name: 'shop' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('TypeError: in the shop');
    });
  });
}

test('an error without a digest has an address', async ({ page, request }) => {
  const message = `no digest ${randomBytes(4).toString('hex')}`;
  const id = await postError(request, { message });
  await page.goto(`/errors/shop.${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`TypeError: ${message}`);
});

test('an error page that says “Digest: none” leads to what has none, by time and page', async ({ page, request }) => {
  const mark = randomBytes(4).toString('hex');
  const time = Date.now() - 3_600_000;
  await postError(request, { message: `none ${mark}`, fn: `load${mark}`, path: `/orders/${mark}`, time });
  await page.goto('/faults');
  await page.getByLabel('Digest, id or words').fill('Something went wrong. Digest: none');
  await page.getByRole('button', { name: 'Search' }).click();
  const found = page.getByRole('region', { name: 'Errors without a digest' });
  await found.getByLabel('On which page?').fill(`https://shop.example/orders/${mark}?from=mail`);
  await found.getByRole('button', { name: 'Find it' }).click();
  await expect(found.getByRole('listitem')).toHaveCount(1);
  await found.getByRole('link', { name: `TypeError: none ${mark}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`TypeError: none ${mark}`);
});

test('a digest of ours with one slip leads to the error as well', async ({ page, request }) => {
  const response = await request.get('/lab/throw-before-shell');
  const digest = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(await response.text())?.[0] ?? '';
  const exchanged = digest.slice(0, 7) + digest.slice(8, 9) + digest.slice(7, 8) + digest.slice(9);
  const misread = exchanged === digest ? digest.slice(0, -1) : exchanged;
  await page.goto('/');
  await page.getByLabel('Digest, id or words').fill(misread);
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByLabel('Digest, id or words')).toHaveValue(misread);
  await page
    .getByRole('region', { name: /^Nearly the same/ })
    .getByRole('link', { name: digest })
    .click();
  await expect(page).toHaveURL(`/digest/${digest}`);
});
