import { createLoginLink, operatorState } from './testing/login-link.ts';
import { expect, test } from './testing/test.ts';

test('sign in with a link from the command line', async ({ page }) => {
  const link = await createLoginLink();
  await page.goto(link.href);
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.context().storageState({ path: operatorState });
});
