import { createLoginLink, operatorState } from './testing/login-link.ts';
import { expect, test } from './testing/test.ts';

test('sign in with a link from the command line', async ({ page, browser }) => {
  // Journeys run in whatever Chrome or Chromium a machine has.
  console.log(`Browser: ${browser.browserType().name()} ${browser.version()}`);
  const link = await createLoginLink();
  await page.goto(link.href);
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.context().storageState({ path: operatorState });
});
