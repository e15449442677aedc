import { gzipSync } from 'node:zlib';

import type { Page, Request } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const digestPattern = /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/;

/** The events in an envelope that the page posted. */
function readEvents(request: Request): Record<string, unknown>[] {
  const lines = (request.postData() ?? '').split('\n').map((line): unknown => (line ? JSON.parse(line) : {}));
  return lines.filter(
    (line): line is Record<string, unknown> => typeof line === 'object' && line !== null && 'exception' in line,
  );
}

function waitForReport(page: Page) {
  return page.waitForResponse(
    (response) => new URL(response.url()).pathname === '/tunnel' && readEvents(response.request()).length > 0,
  );
}

async function throwInBrowser(page: Page): Promise<{ digest: string; event: Record<string, unknown> }> {
  const reported = waitForReport(page);
  await page.getByRole('button', { name: 'Throw', exact: true }).click();
  const panel = await page.getByRole('alert').innerText();
  const response = await reported;
  expect(response.status()).toBe(200);
  const [event] = readEvents(response.request());
  if (!event) throw new Error('The envelope holds no event');
  return { digest: digestPattern.exec(panel)?.[0] ?? '', event };
}

test.beforeEach(({ expectConsoleErrors }) => expectConsoleErrors(/canary-in-browser|status of 500|React error #441/));

test(
  'an error of the browser is client-side, has a digest, and its report leads to the source line',
  { tag: '@daily' },
  async ({ page }) => {
    await openHydrated(page, '/lab/throw-in-browser?secret=hunter2');
    const { digest, event } = await throwInBrowser(page);
    await expect(page.getByRole('alert')).toContainText('client-side error has occurred');
    await expect(page.getByRole('alert')).toContainText('browser console');
    expect(JSON.stringify(event)).not.toContain('hunter2');
    await page.goto(`/digest/${digest}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Error: canary-in-browser/);
    await expect(
      page.getByText('src/lab/throw-in-browser/throw-in-browser.tsx', { exact: false }).first(),
    ).toBeVisible();
    await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('browser');
  },
);

test('the SDK is loaded by the first act, not before, and errors before it are kept', async ({ page }) => {
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/browser-sdk-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await openHydrated(page, '/lab/throw-in-browser');
  expect(scripts.filter((url) => url.includes('browser-sdk'))).toEqual([]);
  const reported = waitForReport(page);
  await page.getByRole('button', { name: 'Throw', exact: true }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  release();
  const [event] = readEvents((await reported).request());
  const tags = event?.tags;
  expect(tags).toMatchObject({
    digest: digestPattern.exec(await page.getByRole('alert').innerText())?.[0]?.replace('-', ''),
  });
});

test('a report carries the newest hundred breadcrumbs', { tag: '@daily' }, async ({ page }) => {
  await openHydrated(page, '/lab/throw-in-browser');
  const sdk = page.waitForResponse('**/browser-sdk-*.js');
  await page.keyboard.press('Shift');
  await sdk;
  await expect.poll(() => page.evaluate(() => Object.prototype.hasOwnProperty.call(window, '__SENTRY__'))).toBe(true);
  await page.evaluate(() => {
    for (let n = 0; n < 130; n += 1) console.warn(`crumb ${n}`);
  });
  const { event } = await throwInBrowser(page);
  const { breadcrumbs } = event;
  const messages = Array.isArray(breadcrumbs) ? breadcrumbs.map(({ message }: { message?: unknown }) => message) : [];
  expect(messages.length).toBe(100);
  expect(messages).not.toContain('crumb 29');
  expect(messages).toContain('crumb 129');
  expect(JSON.stringify(breadcrumbs)).toContain('ui.click');
});

test('a document, its navigations, its actions and its reports share one trace', async ({ page }) => {
  const traces: string[] = [];
  page.on('request', (request) => {
    const trace = request.headers()['sentry-trace'];
    if (trace) traces.push(trace.slice(0, 32));
  });
  const response = await page.goto('/lab/actions');
  const documentTrace = /sentry-trace;desc="([0-9a-f]{32})/.exec(
    (await response?.headerValue('server-timing')) ?? '',
  )?.[1];
  expect(documentTrace).toBeDefined();
  await openHydrated(page, '/lab');
  const secondTrace = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation');
    return entry instanceof PerformanceNavigationTiming
      ? entry.serverTiming.find(({ name }) => name === 'sentry-trace')?.description.slice(0, 32)
      : undefined;
  });
  expect(secondTrace).not.toBe(documentTrace);
  await page.getByRole('link', { name: 'Throw in the browser', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Throw', exact: true })).toBeVisible();
  const { event } = await throwInBrowser(page);
  expect(new Set(traces.slice(-1))).toEqual(new Set([secondTrace]));
  expect(event.contexts).toMatchObject({ trace: { trace_id: secondTrace } });
});

test(
  'a server error and its browser report meet under one digest and one trace',
  { tag: '@daily' },
  async ({ page }) => {
    await openHydrated(page, '/lab');
    const reported = waitForReport(page);
    await page.getByRole('link', { name: 'Throw before the shell, by navigation' }).click();
    const digest = digestPattern.exec(await page.getByRole('alert').innerText())?.[0] ?? '';
    const [event] = readEvents((await reported).request());
    expect(event?.tags).toMatchObject({ digest: digest.replace('-', ''), side: 'server' });
    await page.goto(`/digest/${digest}`);
    const contexts = JSON.stringify(event?.contexts);
    const trace = /"trace_id":"([0-9a-f]{32})"/.exec(contexts)?.[1] ?? 'none';
    await expect(page.getByRole('region', { name: 'Request' })).toContainText(trace);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await expect(timeline).toContainText('server');
    await expect(timeline).toContainText('browser');
  },
);

test('a page needs at most 100 kB of JavaScript before the first act', { tag: '@daily' }, async ({ page }) => {
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  });
  await openHydrated(page, '/lab');
  await page.waitForLoadState('networkidle');
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).byteLength);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000);
});
