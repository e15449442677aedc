import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

import * as door from '#inspect/budgets/playwright/index.ts';
import type * as declared from '#inspect/budgets/playwright/public.d.ts';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect as baseExpect, test } from './testing/test.ts';

/** With the types that others have. */
const { expectFlight, flightMatchers, readFlightShape }: typeof declared = door;
const expect = baseExpect.extend(flightMatchers);

/** Loads the lab's streaming page as a visitor does who comes from the list of experiments. */
const streaming = '/lab/streaming';

test('the page that opens files stays within its budget', { tag: '@daily' }, async ({ page }) => {
  await page.goto('/decode');
  await expectFlight(page).toStayWithin({ bytes: '5kB', gzip: '2kB', duplicates: 500, clientModules: 8 });
});

test('a budget names what is over it, and leaves the payload beside the results', async ({ page }, info) => {
  const response = await page.goto('/lab');
  const error: unknown = await expectFlight(page)
    .toStayWithin({ gzip: 100, clientModules: 0 })
    .catch((thrown: unknown) => thrown);
  const message = error instanceof Error ? error.message : '';
  expect(message).toMatch(
    /^GET \/lab is over its budget\n {2}payload [\d.]+ kB gzip, limit 100 B: [\d,]+ bytes over\n/,
  );
  expect(message).toMatch(/\n {4}[\d.]+ k?B {2}<\w+>.* \(row [0-9a-f]+\)\n/);
  expect(message).toMatch(/\n {2}\d+ client modules, limit 0: \d+ over\n/);
  const [, file = ''] = /\n {2}npx flight-recorder flight (\S+)$/.exec(message) ?? [];
  expect(path.resolve(file)).toBe(
    info.outputPath('a-budget-names-what-is-over-it-and-leaves-the-payload-beside-the-results.rsc'),
  );
  const payload = await readFile(file);
  await expectFlight(payload).toStayWithin({ bytes: payload.length });
  // What the document carried, to the byte.
  await expectFlight(page).toStayWithin({ bytes: payload.length });
  await expectFlight(response).toStayWithin({ bytes: payload.length });
  await expectFlight(Promise.resolve(response)).toStayWithin({ bytes: payload.length });
  await expect(expectFlight(page).toStayWithin({ bytes: payload.length - 1 })).rejects.toThrow(': 1 byte over');
});

test('a navigation of the client has a budget of its own, without the document', async ({ page }) => {
  await openHydrated(page, '/lab');
  const error: unknown = await expectFlight(page, () => page.locator(`main a[href="${streaming}"]`).first().click())
    .toStayWithin({ bytes: 1 })
    .catch((thrown: unknown) => thrown);
  const message = error instanceof Error ? error.message : '';
  await expect(page).toHaveURL(streaming);
  expect(message).toContain('GET /RSC/R/lab/streaming.txt is over its budget');
  const [, file = ''] = /\n {2}npx flight-recorder flight (\S+)$/.exec(message) ?? [];
  // The browser keeps no body of a payload that streams and is given up when its last row is there.
  expect(await readFile(file, 'utf8')).toContain('Part 6 after');
});

test('a callback with a document counts the document', async ({ page }) => {
  await expectFlight(page, () => page.goto(streaming)).toStayWithin({ gzip: '10kB' });
  await expect(expectFlight(page, () => page.reload()).toStayWithin({ bytes: 1 })).rejects.toThrow(`GET ${streaming}`);
});

test('a callback that loads nothing is an error', async ({ page }) => {
  await page.goto('/lab');
  await expect(expectFlight(page, () => undefined).toStayWithin({ bytes: '1MB' })).rejects.toThrow(
    'the page loaded no Flight while the callback ran',
  );
});

/**
 * A page with a router of its own, which does what Next.js does: it prefetches after `load`, and gives a prefetch up when its headers are
 * there. `/rows` has one row and never ends.
 */
const busyPage = `<!doctype html><main><a href="/lamp">Lamp</a></main><script>
  const load = (address, ahead, signal) => fetch(address, { signal, headers: { rsc: '1', ...(ahead && { 'next-router-prefetch': '1' }) } });
  addEventListener('load', () => setTimeout(() => load('/late', true), 250));
  document.querySelector('a').onclick = async (event) => {
    event.preventDefault();
    for (const address of ['/nothing', '/rows']) {
      const giveUp = new AbortController();
      const { body } = await load(address, true, giveUp.signal);
      if (address === '/rows') await body.getReader().read();
      giveUp.abort();
    }
    await (await load('/lamp', false)).text();
    document.querySelector('a').textContent = 'Table';
  };
</script>`;

test('a callback counts what it loads itself, and of what the page gives up what came', async ({ page }) => {
  const row = '1:"a row of a prefetch"\n0:["$","p",';
  const lamp = '0:["$","h1",null,{"children":"Lamp"}]\n';
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.setHeader('content-type', url === '/' ? 'text/html' : 'text/x-component');
    if (url === '/nothing') return void response.flushHeaders();
    if (url === '/rows') return void response.write(row);
    response.end(url === '/' ? busyPage : lamp);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
    const link = page.getByRole('link', { name: 'Lamp' });
    const click = async (): Promise<void> => {
      expect(asked).toContain('/late');
      await link.click();
      await expect(page.getByRole('link', { name: 'Table' })).toBeVisible();
    };
    const error: unknown = await expectFlight(page, click)
      .toStayWithin({ bytes: 1 })
      .catch((thrown: unknown) => thrown);
    const message = error instanceof Error ? error.message : '';
    expect(message).toContain(`payload ${row.length + lamp.length} B, limit 1 B`);
    expect(message).toContain(`: GET /rows, prefetch: ${row.length} B\n`);
    expect(message).toContain(`: GET /lamp, navigation: ${lamp.length} B\n`);
    expect(message).not.toMatch(/nothing|late/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a page that failed keeps no budget, unless its status is named', async ({ page, expectConsoleErrors }) => {
  expectConsoleErrors(/status of 404/);
  await page.goto('/nowhere');
  await expect(expectFlight(page).toStayWithin({ bytes: '1MB' })).rejects.toThrow('GET /nowhere, status 404');
  await expectFlight(page).toStayWithin({ bytes: '1MB', status: 404 });
});

test('a page without an address is named', async ({ page }) => {
  await expect(expectFlight(page).toStayWithin({ bytes: 1 })).rejects.toThrow('the page is at about:blank');
});

test('a matcher says the same', async ({ page }) => {
  await page.goto('/lab');
  await expect(page).toStayWithinFlightBudget({ gzip: '8kB' });
  await expect(page).not.toStayWithinFlightBudget({ gzip: 100 });
});

test('a page has one shape, in its document and in each load of it', async ({ page }) => {
  await page.goto(streaming);
  const first = await readFlightShape(page);
  expect(first).toContain('<Suspense');
  await page.reload();
  expect(await readFlightShape(page)).toBe(first);
});
