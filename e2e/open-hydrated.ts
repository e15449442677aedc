import type { Page } from 'playwright/test';

/** Waits until React has taken over the links and forms: a click before that is the browser's own. */
export async function waitUntilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('main a, main form') ?? {}).some((key) => key.startsWith('__reactProps')),
  );
}

export async function openHydrated(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitUntilHydrated(page);
}
