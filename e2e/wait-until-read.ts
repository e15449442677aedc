import type { Page } from 'playwright/test';

/**
 * Until the page has read the answer to a request of its own to the end. For an answer that may not be stored, the
 * browser sometimes keeps the event behind Playwright's `requestfinished` to itself; its own timing is always there.
 * @param address a part of the request's address
 */
export async function waitUntilRead(page: Page, address: string): Promise<void> {
  await page.waitForFunction(
    (part) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(part)),
    address,
  );
}
