import type { Page } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

/** Documents that are requested from now on, by path and query. */
function watchDocuments(page: Page): string[] {
  const documents: string[] = [];
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return;
    const { pathname, search } = new URL(request.url());
    documents.push(pathname + search);
  });
  return documents;
}

/** The first live region. Other regions appear together with their text. */
function banner(page: Page) {
  return page.getByRole('status').first();
}

/** Puts a mark on the document. A new document would not have it. */
async function mark(page: Page) {
  await page.evaluate(() => Reflect.set(window, 'mark', 'kept'));
}

async function isSameDocument(page: Page) {
  return page.evaluate(() => Reflect.get(window, 'mark') === 'kept');
}

async function open(page: Page, path: string) {
  await openHydrated(page, path);
  await page.waitForLoadState('networkidle');
  await mark(page);
}

const slow = '/RSC/R/lab/slow.txt*';

test.describe('a navigation without progress', () => {
  test('by a click becomes a document navigation after 3.8 s, not before', { tag: '@daily' }, async ({ page }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.route(slow, () => {});
    const documents = watchDocuments(page);
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await expect(page.getByRole('link', { name: 'Wait 500 ms' })).toHaveAttribute('aria-busy', 'true');
    // The real time between these steps counts, too: a busy machine takes a second for them.
    await page.clock.fastForward(2_000);
    // A document navigation would have been requested before this.
    await page.evaluate(() => fetch('/healthz'));
    expect(documents).toEqual([]);
    await page.clock.fastForward(2_000);
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    expect(documents).toEqual(['/lab/slow?ms=500']);
    await page.goBack();
    await expect(page.getByText('The server waited 0 ms.'), 'the entry left behind is a page').toBeVisible();
  });

  test('after the headers, too', async ({ page }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.evaluate(() => window.history.replaceState(null, '', '/lab/slow?ms=0'));
    const documents = watchDocuments(page);
    const answered = page.waitForResponse(/\/RSC\/R\/lab\/stalled\.txt/);
    await page.getByRole('link', { name: 'stalls' }).click();
    await answered;
    await page.clock.fastForward(4_000);
    await expect(page.getByText('This page came as a document.', { exact: true })).toBeVisible();
    expect(documents).toEqual(['/lab/stalled']);
  });

  test('by push does the same', async ({ page }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.route(slow, () => {});
    const documents = watchDocuments(page);
    await page.getByRole('button', { name: 'Wait 300 ms' }).click();
    await page.clock.fastForward(4_000);
    await expect(page.getByText('The server waited 300 ms.')).toBeVisible();
    expect(documents).toEqual(['/lab/slow?ms=300']);
  });

  for (const direction of ['back', 'forward'] as const) {
    test(`by ${direction} does the same, and keeps the history`, async ({ page }) => {
      await page.clock.install();
      await open(page, '/lab/slow?ms=0');
      await page.getByRole('link', { name: 'Wait 500 ms' }).click();
      await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
      if (direction === 'forward') {
        await page.goBack();
        await expect(page.getByText('The server waited 0 ms.')).toBeVisible();
      }
      expect(await isSameDocument(page)).toBe(true);
      const entries = await page.evaluate(() => window.history.length);
      await page.route(slow, () => {});
      const target = direction === 'back' ? 0 : 500;
      const documents = watchDocuments(page);
      await page.evaluate((name) => window.history[name](), direction);
      await expect(page).toHaveURL(`/lab/slow?ms=${target}`);
      expect(documents).toEqual([]);
      await page.clock.fastForward(4_000);
      await expect.poll(() => documents).toEqual([`/lab/slow?ms=${target}`]);
      await expect(page.getByText(`The server waited ${target} ms.`)).toBeVisible();
      expect(await page.evaluate(() => window.history.length)).toBe(entries);
    });
  }

  test('is left to itself when it is superseded', async ({ page }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.route('/RSC/R/lab/slow.txt?query=ms%3D500', () => {});
    const documents = watchDocuments(page);
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await page.clock.fastForward(3_000);
    await page.getByRole('button', { name: 'Wait 300 ms' }).click();
    await expect(page.getByText('The server waited 300 ms.')).toBeVisible();
    await page.clock.fastForward(10_000);
    expect(documents).toEqual([]);
    expect(await isSameDocument(page)).toBe(true);
  });

  test('does not leave for the same page twice', async ({ page }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.getByRole('link', { name: 'stalls' }).click();
    await page.clock.fastForward(4_000);
    await expect(page.getByText('This page came as a document.', { exact: true })).toBeVisible();
    await page.waitForLoadState('networkidle');
    const documents = watchDocuments(page);
    const reload = page.getByRole('button', { name: 'Load this page’s data again' });
    const answered = page.waitForResponse(/\/RSC\/R\/lab\/stalled\.txt/);
    await reload.click();
    await answered;
    await page.clock.fastForward(20_000);
    await expect(reload).toHaveAttribute('aria-busy', 'true');
    expect(documents).toEqual([]);
  });
});

test('a stream that moves is waited for, however long it takes', async ({ page }) => {
  await open(page, '/lab/streaming');
  const documents = watchDocuments(page);
  const started = Date.now();
  await page.getByRole('link', { name: 'whole' }).click();
  await expect(page.getByText('Part 6 after 6000 ms.')).toBeVisible({ timeout: 10_000 });
  expect(Date.now() - started).toBeGreaterThan(5_000);
  expect(documents).toEqual([]);
  expect(await isSameDocument(page)).toBe(true);
});

test('a page with holes shows at once and fills up', async ({ page }) => {
  await open(page, '/lab/streaming?whole');
  await page.getByRole('link', { name: 'holes' }).click();
  await expect(page.getByText('Part 1 after 400 ms.')).toBeVisible();
  await expect(page.getByText('Part 6 is on its way.')).toBeVisible();
  await expect(page.getByText('Part 6 after 2400 ms.')).toBeVisible();
  expect(await isSameDocument(page)).toBe(true);
});

test.describe('offline', () => {
  // The browser's own lines about what it could not load, the reporting SDK included.
  test.beforeEach(({ expectConsoleErrors }) => expectConsoleErrors(/ERR_INTERNET_DISCONNECTED/));

  const message = 'You are offline. The page will load when you are back.';

  test(
    'a click stays on the page, says so, and is made again when the connection is back',
    { tag: '@daily' },
    async ({ page, context }) => {
      await open(page, '/lab/slow?ms=0');
      await context.setOffline(true);
      await page.getByRole('link', { name: 'Wait 500 ms' }).click();
      await expect(banner(page)).toContainText(message);
      await expect(page).toHaveURL('/lab/slow?ms=0');
      await expect(page.getByText('The server waited 0 ms.')).toBeVisible();
      await context.setOffline(false);
      await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
      await expect(page).toHaveURL('/lab/slow?ms=500');
      await expect(banner(page)).toBeEmpty();
      expect(await isSameDocument(page)).toBe(true);
    },
  );

  test('back stays on the page and its entry, and goes back when the connection is back', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    await context.setOffline(true);
    await page.evaluate(() => window.history.back());
    await expect(banner(page)).toContainText(message);
    await expect(page).toHaveURL('/lab/slow?ms=500');
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText('The server waited 0 ms.')).toBeVisible();
    await expect(page).toHaveURL('/lab/slow?ms=0');
    await page.goForward();
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('cancel after back leaves page, address and entries as they were', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    await context.setOffline(true);
    await page.evaluate(() => window.history.back());
    await banner(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(page).toHaveURL('/lab/slow?ms=500');
    await context.setOffline(false);
    await page.goBack();
    await expect(page.getByText('The server waited 0 ms.')).toBeVisible();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('trying again while still offline says so again, and works later', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await banner(page).getByRole('button', { name: 'Try again' }).click();
    await expect(banner(page)).toContainText(message);
    await context.setOffline(false);
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
  });

  test('an error page is a page to stay on, too', async ({ page, context, expectConsoleErrors }) => {
    expectConsoleErrors(/500|Broken/);
    const broken = '/RSC/R/lab/prefetch/1.txt*';
    await page.route(broken, (route) => route.fulfill({ status: 500, body: 'Broken' }));
    await open(page, '/lab/prefetch');
    await page.getByRole('link', { name: 'Page 1', exact: true }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    await page.unroute(broken);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(banner(page)).toContainText(message);
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page).toHaveURL('/lab/prefetch/1');
    await context.setOffline(false);
    await expect(page.getByRole('heading', { name: 'Page 1' })).toBeVisible();
    await expect(page).toHaveURL('/lab/prefetch/1');
    expect(await isSameDocument(page)).toBe(true);
  });

  test('a navigation that stalls without a connection waits, too', async ({ page, context }) => {
    await page.clock.install();
    await open(page, '/lab/slow?ms=0');
    await page.route(slow, () => {});
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await context.setOffline(true);
    const documents = watchDocuments(page);
    await page.clock.fastForward(4_000);
    await expect(banner(page)).toContainText(message);
    await page.unroute(slow);
    await context.setOffline(false);
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible();
    expect(documents).toEqual([]);
  });

  test('cancel gives up; the page goes on working', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await banner(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(banner(page)).toBeEmpty();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Wait 300 ms' }).click();
    await expect(page.getByText('The server waited 300 ms.')).toBeVisible();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('a server that cannot be reached is asked again', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/ERR_CONNECTION_REFUSED/);
    await open(page, '/lab/slow?ms=0');
    await page.route('**', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await expect(banner(page)).toContainText('The server cannot be reached.');
    await page.unroute('**');
    await expect(page.getByText('The server waited 500 ms.')).toBeVisible({ timeout: 10_000 });
    await expect(banner(page)).toBeEmpty();
  });

  test('a prefetched page needs no connection', { tag: '@daily' }, async ({ page, context }) => {
    await open(page, '/lab/prefetch');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Page 1', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Page 1' })).toBeVisible();
    await expect(banner(page)).toBeEmpty();
  });
});

test.describe('a link', () => {
  test('leaves to the browser what is the browser’s', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Wait 500 ms' }).click({ modifiers: ['ControlOrMeta'] });
    const tab = await opened;
    await expect(tab.getByText('The server waited 500 ms.')).toBeVisible();
    await expect(page).toHaveURL('/lab/slow?ms=0');
  });

  test('to a place on the page is the browser’s, and asks for nothing', async ({ page }) => {
    await open(page, '/lab/prefetch/1');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/RSC/')) asked.push(request.url());
    });
    await page.getByRole('link', { name: 'To the end' }).click();
    await expect(page).toHaveURL('/lab/prefetch/1#end');
    expect(await page.evaluate(() => document.querySelector(':target')?.id)).toBe('end');
    expect(asked).toEqual([]);
  });

  test('with target or download is left to the browser', async ({ page, context }) => {
    await open(page, '/lab/slow?ms=0');
    const link = page.getByRole('link', { name: 'Wait 500 ms' });
    await link.evaluate((element) => element.setAttribute('target', '_blank'));
    const opened = context.waitForEvent('page');
    await link.click();
    await expect((await opened).getByText('The server waited 500 ms.')).toBeVisible();
    await link.evaluate((element) => {
      element.removeAttribute('target');
      element.setAttribute('download', 'page.html');
    });
    const download = page.waitForEvent('download');
    await link.click();
    expect((await download).suggestedFilename()).toBe('page.html');
  });

  test('to the page that is shown loads its data again, in place', async ({ page }) => {
    await open(page, '/lab/slow?ms=500');
    const asked = page.waitForRequest(slow.replace('*', '?query=ms%3D500'));
    await page.getByRole('link', { name: 'Wait 500 ms' }).click();
    await asked;
    await expect(page.getByRole('link', { name: 'Wait 500 ms' })).not.toHaveAttribute('aria-busy');
    expect(await isSameDocument(page)).toBe(true);
  });
});

test.describe('a module that cannot be loaded', () => {
  test(
    'is a new build when the server answers: the document is loaded anew, and then the page says so',
    { tag: '@daily' },
    async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/404|dynamically imported module/);
      // The page’s own module. A file that it imports statically needs the document again (004).
      const code = /\/assets\/decode-[\w-]{8}\.js/;
      await page.route(code, (route) => route.fulfill({ status: 404, body: 'Not found' }));
      const documents = watchDocuments(page);
      await page.goto('/decode');
      await expect.poll(() => documents.length).toBeGreaterThan(1);
      const panel = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
      await expect(async () => {
        const before = documents.length;
        await page.waitForLoadState('networkidle');
        await expect(panel).toBeVisible({ timeout: 1_000 });
        expect(documents.length).toBe(before);
      }).toPass();
      // Once more by this app, and once more by Waku where the module fails before the app runs.
      expect(documents.length).toBeLessThanOrEqual(3);
      await page.unroute(code);
      await panel.getByText('Try again').click();
      await expect(page.getByRole('button', { name: 'Decode', exact: true })).toBeEnabled();
    },
  );
});
