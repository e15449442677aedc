import { startServer, type RunningServer } from '../reliability/testing/start-server.ts';
import { addApp } from './testing/add-app.ts';
import { waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'the recorder’s own pages' : 'the recorder’s own pages, without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('leave the navigation when another app is recorded, and are one link away', async ({ page }) => {
      await addApp('own-pages');
      const pages = page.getByRole('navigation', { name: 'Pages' });
      for (const path of ['/', '/faults', '/flights', '/apps', '/decode', '/runtime']) {
        await page.goto(path);
        await expect(pages.getByRole('link', { name: 'Apps', exact: true })).toBeVisible();
        await expect(pages.getByRole('link', { name: 'Lab', exact: true }), path).toBeHidden();
        const runtime = pages.getByRole('link', { name: 'Runtime', exact: true });
        // The link to the page that is open stays.
        await expect(runtime, path).toBeVisible({ visible: path === '/runtime' });
      }
      for (const name of ['Runtime', 'Lab']) {
        await pages.getByRole('link', { name: 'About this recorder' }).click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('About this recorder');
        await page.getByRole('region', { name: 'Its own pages' }).getByRole('link', { name }).click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      }
    });
  });
}

test.describe('a server on which nothing is recorded', () => {
  let server: RunningServer;

  test.beforeAll(async () => {
    server = await startServer({ env: { FLIGHT_AUTH: 'off' } });
  });

  test.afterAll(() => server[Symbol.asyncDispose]());

  for (const javaScriptEnabled of [true, false]) {
    test(`says what it is for, and has its own pages in the navigation${javaScriptEnabled ? '' : ', without JavaScript'}`, async ({
      browser,
    }) => {
      const context = await browser.newContext({ javaScriptEnabled, baseURL: server.origin });
      const page = await context.newPage();
      await page.goto('/');
      if (javaScriptEnabled) await waitUntilHydrated(page);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Why did that page break?');
      await expect(page.getByRole('region', { name: 'Record an app of yours' })).toBeVisible();
      const pages = page.getByRole('navigation', { name: 'Pages' });
      for (const name of ['Runtime', 'Lab']) await expect(pages.getByRole('link', { name, exact: true })).toBeVisible();
      // This page does not know what is recorded. With a script, the one before has told it.
      await pages.getByRole('link', { name: 'Decode', exact: true }).click();
      await expect(page).toHaveURL('/decode');
      await expect(pages.getByRole('link', { name: 'Lab', exact: true })).toBeVisible({ visible: javaScriptEnabled });
      await context.close();
    });
  }
});
