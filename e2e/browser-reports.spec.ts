import type { Page, Request } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const digestPattern = /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/;
const notArrived = 'This report has not reached the server yet.';
const hasArrived = 'This report has reached the server.';

type Breadcrumb = {
  readonly category: string;
  readonly message?: string;
  readonly level?: string;
  readonly data?: Record<string, string | number>;
};
type ReportedEvent = {
  readonly tags: { readonly digest: string };
  readonly breadcrumbs?: readonly Breadcrumb[];
};

function readEvent(request: Request): ReportedEvent | undefined {
  const line = (request.postData() ?? '').split('\n')[2];
  return line === undefined ? undefined : JSON.parse(line);
}

function isReport(request: Request): boolean {
  return new URL(request.url()).pathname === '/tunnel';
}

async function clickAndReport(page: Page, button: string): Promise<ReportedEvent> {
  const reported = page.waitForResponse((response) => isReport(response.request()));
  await page.getByRole('button', { name: button, exact: true }).click();
  const event = readEvent((await reported).request());
  if (!event) throw new Error('The envelope holds no event');
  return event;
}

async function readPanelDigest(page: Page): Promise<string> {
  const digest = digestPattern.exec(await page.getByRole('alert').innerText())?.[0];
  if (!digest) throw new Error('The panel shows no digest');
  return digest;
}

/** Checks that one report exists, however often it was sent. Its page is a 404 until then. */
async function expectOneReport(page: Page, digest: string): Promise<void> {
  await expect.poll(async () => (await page.goto(`/digest/${digest}`))?.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/canary-in-browser/);
  await expect(page.getByRole('region', { name: 'Timeline' }).getByText('Error: canary-in-browser')).toHaveCount(1);
}

/** Makes the page load the SDK: the first input loads it. */
async function loadSdk(page: Page): Promise<void> {
  const sdk = page.waitForResponse('**/browser-sdk-*.js');
  await page.keyboard.press('Shift');
  await sdk;
  await waitForSdk(page);
}

async function waitForSdk(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => Object.hasOwn(window, '__SENTRY__'))).toBe(true);
}

test.beforeEach(({ expectConsoleErrors }) => expectConsoleErrors(/canary-in-/));

test.describe('breadcrumbs', () => {
  test('begin with the document: the first click stands before the error that it causes', async ({ page }) => {
    await openHydrated(page, '/lab/throw-in-browser');
    const { breadcrumbs = [], tags } = await clickAndReport(page, 'Throw');
    expect(breadcrumbs.at(-1)).toMatchObject({ category: 'ui.click' });
    await page.goto(`/digest/${tags.digest}`);
    const moments = await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').allInnerTexts();
    expect(moments.at(-2)).toContain('ui.click');
    expect(moments.at(-1)).toContain('Error: canary-in-browser');
  });

  test('are what led to the error, each once, and nothing that was typed', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/a complaint|status of 405/);
    await openHydrated(page, '/lab/actions');
    await page.getByRole('textbox').first().click();
    await page.keyboard.type('hunter2');
    await waitForSdk(page);
    await page.evaluate(async () => {
      console.log('only said');
      console.warn('a warning');
      console.error('a complaint', Object.create(null));
      await fetch('/_api/nothing?token=hunter2#hunter2', { method: 'PUT' });
      await new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open('get', '/healthz?token=hunter2');
        request.addEventListener('loadend', resolve);
        request.send();
      });
    });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Lab' }).click();
    await page.getByRole('link', { name: 'Throw in the browser', exact: true }).click();
    const { breadcrumbs = [] } = await clickAndReport(page, 'Throw');
    expect(JSON.stringify(breadcrumbs)).not.toContain('hunter2');
    const told = breadcrumbs.filter(({ data }) => !String(data?.['url']).startsWith('/RSC/'));
    expect(told).toMatchObject([
      { category: 'document', message: '/lab/actions' },
      { category: 'ui.click', message: expect.stringContaining('input') },
      { category: 'console', level: 'warning', message: 'a warning' },
      {
        category: 'fetch',
        data: { method: 'PUT', url: '/_api/nothing?token', status_code: 405, ms: expect.any(Number) },
      },
      { category: 'xhr', data: { method: 'GET', url: '/healthz?token', status_code: 200, ms: expect.any(Number) } },
      { category: 'ui.click', message: expect.stringContaining('a:nth-child') },
      { category: 'navigation', data: { from: '/lab/actions', to: '/lab' } },
      { category: 'ui.click' },
      { category: 'navigation', data: { from: '/lab', to: '/lab/throw-in-browser' } },
      { category: 'ui.click', message: expect.stringContaining('button[type="button"]:nth-child(1)') },
    ]);
    expect(breadcrumbs).toContainEqual(
      expect.objectContaining({
        category: 'fetch',
        data: { method: 'GET', url: '/RSC/R/lab/throw-in-browser.txt?query', status_code: 200, ms: expect.any(Number) },
      }),
    );
  });

  test('are counted on the runtime page from the start', async ({ page }) => {
    await openHydrated(page, '/runtime');
    const browser = page.getByRole('region', { name: 'In this browser' });
    await expect(browser).toContainText(/Breadcrumbs\s*\d+ of 100/);
    await page.evaluate(() => {
      for (let n = 0; n < 130; n += 1) console.warn(`crumb ${n}`);
    });
    await expect(browser).toContainText(/Breadcrumbs\s*100 of 100/);
  });
});

test.describe('the report of a browser’s own error', () => {
  test('is said to have arrived when it has', async ({ page }) => {
    await openHydrated(page, '/lab/throw-in-browser');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/tunnel', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Throw', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText(notArrived);
    release();
    await expect(page.getByRole('alert')).toContainText(hasArrived);
    await expectOneReport(page, await readPanelDigest(page));
  });

  test('is sent although the page is left while the SDK is loading', async ({ page }) => {
    await page.route('**/browser-sdk-*.js', () => new Promise(() => {}));
    await openHydrated(page, '/lab/throw-in-browser');
    await page.getByRole('button', { name: 'Throw', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText(notArrived);
    const digest = await readPanelDigest(page);
    // A document of another origin: no script of ours runs there that could send what was remembered.
    await page.goto('about:blank');
    const other = await page.context().newPage();
    await expectOneReport(other, digest);
    await expect(other.getByText('src/lab/throw-in-browser/throw-in-browser.tsx').first()).toBeVisible();
    await expect(other.getByRole('region', { name: 'Timeline' })).toContainText('ui.click');
    await other.close();
  });

  test(
    'survives a lost connection, and goes out when it is back',
    { tag: '@daily' },
    async ({ page, context, expectConsoleErrors }) => {
      expectConsoleErrors(/ERR_INTERNET_DISCONNECTED/);
      await openHydrated(page, '/lab/throw-in-browser');
      await loadSdk(page);
      await context.setOffline(true);
      const failed = page.waitForEvent('requestfailed', isReport);
      await page.getByRole('button', { name: 'Throw', exact: true }).click();
      await failed;
      await expect(page.getByRole('alert')).toContainText(notArrived);
      await context.setOffline(false);
      await expect(page.getByRole('alert')).toContainText(hasArrived);
      await expectOneReport(page, await readPanelDigest(page));
    },
  );

  test('survives a reload without a connection', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/ERR_CONNECTION_FAILED/);
    await openHydrated(page, '/lab/throw-in-browser');
    await page.route('**/tunnel', (route) => route.abort('connectionfailed'));
    const failed = page.waitForEvent('requestfailed', isReport);
    await page.getByRole('button', { name: 'Throw', exact: true }).click();
    await failed;
    const digest = await readPanelDigest(page);
    const failedAgain = page.waitForEvent('requestfailed', isReport);
    await page.reload();
    await failedAgain;
    await page.unroute('**/tunnel');
    const sent = await page.waitForResponse((response) => isReport(response.request()));
    expect(sent.status()).toBe(200);
    expect(readEvent(sent.request())?.tags.digest).toBe(digest.replace('-', ''));
    await expectOneReport(page, digest);
  });

  test('comes back when the server says, and not before', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 429/);
    await openHydrated(page, '/lab/throw-in-browser');
    const times: number[] = [];
    await page.route('**/tunnel', (route) => {
      times.push(Date.now());
      if (times.length > 1) return route.continue();
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, body: '{}' });
    });
    await page.getByRole('button', { name: 'Throw', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText(notArrived);
    await expect(page.getByRole('alert')).toContainText(hasArrived);
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(1_990);
    expect(times.length).toBe(2);
  });

  test('is not mentioned where the server failed: it is there already', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 500|React error #441/);
    await openHydrated(page, '/lab');
    const reported = page.waitForResponse((response) => isReport(response.request()));
    await page.getByRole('link', { name: 'Throw before the shell, by navigation' }).click();
    await reported;
    await expect(page.getByRole('alert')).toContainText('server-side');
    await expect(page.getByRole('alert')).not.toContainText('This report');
  });
});

test.describe('a frame of a browser’s stack', () => {
  test('is named after its function, although the bundle has lost the name', async ({ page }) => {
    await openHydrated(page, '/lab/throw-in-browser');
    const { tags } = await clickAndReport(page, 'Fail in a handler');
    await page.goto(`/digest/${tags.digest}`);
    const report = page.getByRole('region', { name: 'The browser’s error' });
    await expect(report.getByText('pushTheButton src/lab/throw-in-browser/throw-in-browser.tsx:6')).toBeVisible();
  });

  test('is named in the component stack too', async ({ page }) => {
    await openHydrated(page, '/lab/throw-in-browser');
    const { tags } = await clickAndReport(page, 'Throw');
    await page.goto(`/digest/${tags.digest}`);
    await page.getByText('Component stack').click();
    await expect(page.getByText('at ThrowInBrowser (src/lab/throw-in-browser/throw-in-browser.tsx:')).toBeVisible();
  });
});
