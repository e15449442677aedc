import type { Page } from 'playwright/test';

/**
 * Waits until the page has read the whole answer to one of its requests. For an answer with `no-store`, the browser
 * sometimes does not send the event behind Playwright's `requestfinished`. The browser's own timing is always there.
 * @param address a part of the request's address
 */
export async function waitUntilRead(page: Page, address: string): Promise<void> {
  await page.waitForFunction(
    (part) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(part)),
    address,
  );
}
