import { expect, test } from './test.ts';

test.describe('throw-before-shell', () => {
  test('answers 500 with the digest, and the digest again after hydration', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/500|Server Components render|Minified React error #441/);
    const response = await page.goto('/lab/throw-before-shell');
    expect(response?.status()).toBe(500);
    const digest = /([0-9A-Z]{5}-[0-9A-Z]{5})/.exec((await response?.text()) ?? '')?.[1];
    expect(digest).toBeDefined();
    await expect(page.getByRole('alert')).toContainText(digest ?? '');
  });
});
