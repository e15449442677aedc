import type { Page } from 'playwright/test';

/**
 * Waits until React has committed its first render: before that, the browser itself handles a click. The mark is
 * React's own, on the root's container. Properties on single elements appear earlier, while hydration still runs.
 */
export async function waitUntilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const root: unknown = Object.entries(document).find(([key]) => key.startsWith('__reactContainer$'))?.[1];
    function read(value: unknown, key: string): unknown {
      return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    }
    const state = read(read(read(root, 'stateNode'), 'current'), 'memoizedState');
    return read(state, 'isDehydrated') === false && read(state, 'element') !== null;
  });
}

export async function openHydrated(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitUntilHydrated(page);
}
