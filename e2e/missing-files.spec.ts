import path from 'node:path';

import type { Page, Route } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

/**
 * A file of the page's code that cannot be fetched. Chromium remembers that since 150, so each part is asked for under another address, and
 * what stays away is said, with nothing lost.
 */
const wakuHome = path.join(
  import.meta.dirname,
  '../packages/flight/fixtures/waku-1.0.0-rc.1-production/home-rsc.flight',
);

const failures = {
  'a 503': (route: Route) => route.fulfill({ status: 503, body: 'busy' }),
  'a broken connection': (route: Route) => route.abort(),
  'a file that a deployment removed': (route: Route) => route.fulfill({ status: 404, body: 'not here' }),
};

function fileOf(name: string): RegExp {
  return new RegExp(`/${name}-[\\w-]+\\.js(\\?.*)?$`);
}

async function mark(page: Page): Promise<void> {
  await page.evaluate(() => Reflect.set(window, 'isSameDocument', true));
}

function isSame(page: Page): Promise<unknown> {
  return page.evaluate(() => Reflect.get(window, 'isSameDocument'));
}

async function openFlight(page: Page): Promise<void> {
  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles(wakuHome);
  await expect(page.locator('.flight-totals')).toBeVisible();
  await mark(page);
}

test.beforeEach(({ expectConsoleErrors }) => expectConsoleErrors(/Failed to load resource/));

for (const [name, fail] of Object.entries(failures)) {
  test(`${name}, once, is healed before anybody sees it`, async ({ page }) => {
    const asked: string[] = [];
    await page.route(fileOf('bytes-panel'), (route) => {
      asked.push(route.request().url());
      return asked.length === 1 ? fail(route) : route.continue();
    });
    await openFlight(page);
    await page.getByRole('tab', { name: 'Bytes' }).click();
    await expect(page.getByRole('tree', { name: /Map of/ })).toBeVisible();
    expect(asked.length).toBeGreaterThan(1);
    expect(await isSame(page)).toBe(true);
  });

  test(`${name}, for longer: the panel says so, keeps the page, and is there at the next try`, async ({ page }) => {
    const file = fileOf('bytes-panel');
    await page.route(file, fail);
    await openFlight(page);
    await page.getByRole('tab', { name: 'Bytes' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Bytes could not be loaded' });
    await expect(alert).toBeVisible();
    await page.getByRole('tab', { name: 'Tree' }).click();
    await expect(page.getByRole('tree', { name: 'The tree' })).toBeVisible();
    await page.getByRole('tab', { name: 'Bytes' }).click();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(alert).toBeVisible();
    await page.unroute(file);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('tree', { name: /Map of/ })).toBeVisible();
    expect(await isSame(page)).toBe(true);
  });
}

test(
  'what a new build has under another name is there after a reload, with the same tab and the same file',
  { tag: '@daily' },
  async ({ page }) => {
    const file = fileOf('bytes-panel');
    await page.route(file, failures['a file that a deployment removed']);
    await openFlight(page);
    await page.getByRole('tab', { name: 'Bytes' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Bytes could not be loaded' });
    await expect(alert).toBeVisible();
    await page.unroute(file);
    await alert.getByRole('button', { name: 'Reload the page' }).click();
    await expect(page.getByRole('tree', { name: /Map of/ })).toBeVisible();
    expect(await isSame(page)).toBeUndefined();
  },
);

test('a style sheet that could not be fetched is fetched by the next try, and never left out', async ({ page }) => {
  const sheet = /\/bytes-panel-[\w-]+\.css$/;
  await page.route(sheet, failures['a 503']);
  await openFlight(page);
  await page.getByRole('tab', { name: 'Bytes' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Bytes could not be loaded' });
  await expect(alert).toBeVisible();
  await page.unroute(sheet);
  const loaded = page.waitForResponse(sheet);
  await alert.getByRole('button', { name: 'Try again' }).click();
  expect((await loaded).status()).toBe(200);
  await expect(page.getByRole('tree', { name: /Map of/ })).toBeVisible();
});

test('/decode without its viewer says so, and opens the file when it is chosen once more', async ({ page }) => {
  const file = fileOf('decode-view');
  await page.route(file, failures['a broken connection']);
  await openHydrated(page, '/decode');
  await mark(page);
  const input = page.getByLabel('A file to decode');
  await input.setInputFiles(wakuHome);
  await expect(page.getByRole('heading', { name: 'The decoder could not be loaded' })).toBeVisible();
  await page.unroute(file);
  await input.setInputFiles([]);
  await input.setInputFiles(wakuHome);
  await expect(page.locator('.flight-totals')).toBeVisible();
  expect(await isSame(page)).toBe(true);
});

test('an opened file without the viewer says so, and is shown at the next try', async ({ page }) => {
  await openFlight(page);
  const file = fileOf('decode-view');
  await page.route(file, failures['a broken connection']);
  await page.reload();
  const alert = page.getByRole('alert').filter({ hasText: 'The viewer could not be loaded' });
  await expect(alert).toBeVisible();
  await page.unroute(file);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('.flight-totals')).toBeVisible();
});

test('an experiment without the viewer says so, and shows its flight at the next try', async ({ page }) => {
  const file = fileOf('loaded-flight');
  await page.route(file, failures['a broken connection']);
  await openHydrated(page, '/lab/streaming');
  await mark(page);
  await page.getByText('What was sent, here').click();
  const alert = page.getByRole('alert').filter({ hasText: 'The viewer could not be loaded' });
  await expect(alert).toBeVisible();
  await page.unroute(file);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('tablist', { name: 'Views of the flight' })).toBeVisible();
  expect(await isSame(page)).toBe(true);
});

test('a page keeps what was typed when the reporting cannot be loaded at the first key', async ({ page }) => {
  let tries = 0;
  await page.route(fileOf('browser-sdk'), (route) => {
    tries += 1;
    return failures['a 503'](route);
  });
  await openHydrated(page, '/');
  await mark(page);
  const field = page.getByLabel('Digest, id or words');
  await field.click();
  await field.pressSequentially('kept');
  await expect.poll(() => tries).toBe(2);
  // Beside everything.
  await page.locator('body').click({ position: { x: 1, y: 500 } });
  await expect(field).toHaveValue('kept');
  expect(await isSame(page)).toBe(true);
});
