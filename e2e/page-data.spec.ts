import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const digestPattern = /([0-9A-Z]{5}-[0-9A-Z]{5})/;

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('an upstream that fails three times costs three retries', { tag: '@daily' }, async ({ page }) => {
      const response = await page.goto('/lab/page-data?failures=3');
      expect(response?.status()).toBe(200);
      await expect(page.getByTestId('attempts')).toHaveText('4');
    });

    test(
      'an upstream that fails four times is an error page with a digest',
      { tag: '@daily' },
      async ({ page, expectConsoleErrors }) => {
        expectConsoleErrors(/status of 500|Server Components render|Minified React error #441/);
        await page.route('**/tunnel', (route) => route.fulfill({ status: 200 }));
        const response = await page.goto('/lab/page-data?failures=4');
        expect(response?.status()).toBe(500);
        const html = (await response?.text()) ?? '';
        expect(html).not.toMatch(/PageDataError|failed: status|127\.0\.0\.1/);
        await expect(page.getByRole('alert')).toContainText(digestPattern.exec(html)?.[1] ?? 'no digest');
      },
    );

    test('data that is missing upstream is the 404 page', async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 404/);
      const response = await page.goto('/lab/page-data?record=none');
      expect(response?.status()).toBe(404);
      await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
    });

    test('a page without its data is the 404 page, whole', async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 404/);
      const response = await page.goto('/lab/missing-data');
      expect(response?.status()).toBe(404);
      expect(await response?.text()).toMatch(/<!DOCTYPE html>[^]*<h1[^>]*>Not found<\/h1>[^]*<\/html>/i);
      await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
    });

    test('an unknown path is the 404 page, whole', { tag: '@daily' }, async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 404/);
      const response = await page.goto('/no/such/page?q=1');
      expect(response?.status()).toBe(404);
      expect(await response?.text()).toMatch(/<!DOCTYPE html>[^]*<h1[^>]*>Not found<\/h1>[^]*<\/html>/i);
      await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
    });
  });
}

test.describe('on client navigation', () => {
  for (const [name, path] of [
    ['a record', '/lab/page-data?record=none'],
    ['a page’s own data', '/lab/missing-data'],
    ['a page', '/no/such/page'],
  ] as const) {
    test(`${name} that is missing is the 404 page, at its own address`, async ({ page }) => {
      await openHydrated(page, '/lab/page-data');
      const documents: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'document') documents.push(request.url());
      });
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
      await expect(page).toHaveURL(path);
      expect(documents).toEqual([]);
    });
  }

  test('a failing upstream shows the error with its digest', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/Server Components render|Minified React error #441/);
    await page.route('**/tunnel', (route) => route.fulfill({ status: 200 }));
    await openHydrated(page, '/lab/page-data');
    const answered = page.waitForResponse(/\/RSC\/R\//);
    await page.getByRole('link', { name: 'too many failures' }).click();
    expect((await answered).status()).toBe(200);
    await expect(page.getByRole('alert')).toContainText(digestPattern);
  });
});
