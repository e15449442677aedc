import { breakPage } from './break-page.ts';
import { expect, test } from './test.ts';

const broken = '/lab/throw-before-shell';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'home' : 'home without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('leads from a digest to its cause', async ({ page, request }) => {
      const digest = await breakPage(request, broken);
      await page.goto('/');
      await page.getByLabel('Digest', { exact: true }).fill(digest);
      await page.getByRole('button', { name: 'Look up' }).click();
      await expect(page).toHaveURL(`/digest/${digest}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('thrown on purpose before the shell');
    });

    test('reads a digest as people write it', async ({ page, request }) => {
      const digest = await breakPage(request, broken);
      await page.goto('/');
      await page
        .getByLabel('Digest', { exact: true })
        .fill(` Digest: ${digest.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `);
      await page.getByRole('button', { name: 'Look up' }).click();
      await expect(page).toHaveURL(`/digest/${digest}`);
    });

    test('says why something is no digest, and keeps it for correction', async ({ page }) => {
      await page.goto('/');
      await page.getByLabel('Digest', { exact: true }).fill('ERR_500 on checkout');
      await page.getByRole('button', { name: 'Look up' }).click();
      const field = page.getByLabel('Digest', { exact: true });
      await expect(field).toHaveValue('ERR_500 on checkout');
      await expect(field).toHaveAccessibleDescription(/cannot be a digest/);
    });

    test('says how many errors are left out of the list', async ({ page, request }) => {
      for (let count = 0; count < 26; count += 1) await breakPage(request, broken);
      await page.goto('/');
      const panel = page.getByRole('region', { name: 'Latest errors' });
      await expect(panel).toContainText(/The latest 25 of \d{2,}/);
      await expect(panel.getByRole('row')).toHaveCount(26);
    });

    test('lists the latest errors, newest first', async ({ page, request }) => {
      const first = await breakPage(request, broken);
      const second = await breakPage(request, '/lab/throw-string');
      await page.goto('/');
      const rows = page.getByRole('table', { name: 'Latest errors' }).getByRole('row');
      const secondRow = rows.filter({ hasText: second });
      await expect(secondRow).toContainText('a string thrown on purpose');
      await expect(secondRow).toContainText('/lab/throw-string');
      await expect(secondRow).toContainText('document');
      const texts = await rows.allTextContents();
      const positionOf = (digest: string) => texts.findIndex((text) => text.includes(digest));
      expect(positionOf(second)).toBeGreaterThan(0);
      expect(positionOf(second)).toBeLessThan(positionOf(first));
    });
  });
}
