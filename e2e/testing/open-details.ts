import type { Page } from 'playwright/test';

/** Opens what the page of a flight keeps folded. The fold is the browser's own, so it needs no JavaScript. */
export async function openDetails(page: Page): Promise<void> {
  await page.locator('summary', { hasText: /^Details/ }).click();
}
