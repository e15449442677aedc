import { randomUUID } from 'node:crypto';

import type { APIRequestContext, Page } from 'playwright/test';

import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

/** With what this server itself sent: the journeys about apps add others to the same recording. */
const listPath = '/flights?own=1&route=%2Flab%2Fslow';

/** Requests a page that waits, under a name of its own: names of query parameters are recorded. */
async function record(request: APIRequestContext, ms: number): Promise<string> {
  const mark = `list-${randomUUID().slice(0, 8)}`;
  await request.get(`/lab/slow?ms=${ms}&${mark}=1`, { headers: { accept: 'text/html' } });
  return mark;
}

function rowOf(page: Page, mark: string) {
  return page.getByRole('table', { name: 'Flights' }).getByRole('row').filter({ hasText: mark });
}

async function openList(page: Page, address: string, ...marks: readonly string[]): Promise<void> {
  await expect(async () => {
    await page.goto(address);
    for (const mark of marks) await expect(rowOf(page, mark)).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

test('a filter applies as one types, and keeps the text, the focus and the document', async ({ page, request }) => {
  const mark = await record(request, 0);
  await openList(page, '/flights?own=1&kind=document', mark);
  await openHydrated(page, '/flights?own=1&kind=document');
  await page.evaluate(() => Reflect.set(window, 'isSameDocument', true));
  const route = page.getByRole('combobox', { name: 'Route contains' });
  await route.pressSequentially('LAB/slo');
  await expect(page).toHaveURL('/flights?own=1&kind=document&route=LAB%2Fslo');
  await expect(rowOf(page, mark)).toBeVisible();
  await route.fill('');
  await route.pressSequentially('/lab/nowhere');
  await expect(page).toHaveURL('/flights?own=1&kind=document&route=%2Flab%2Fnowhere');
  await expect(page.getByText('No flight like this')).toBeVisible();
  await expect(route).toBeFocused();
  for (let index = 0; index < 'nowhere'.length; index += 1) await page.keyboard.press('Backspace');
  await page.keyboard.type('slow');
  await expect(rowOf(page, mark)).toBeVisible();
  await expect(page).toHaveURL('/flights?own=1&kind=document&route=%2Flab%2Fslow');
  await expect(route).toBeFocused();
  await expect(route).toHaveValue('/lab/slow');
  await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
  await expect(rowOf(page, mark)).toHaveCount(0);
  await page.getByRole('link', { name: 'Show all', exact: true }).click();
  await expect(page).toHaveURL('/flights?own=1');
  await expect(route).toHaveValue('');
  await expect(page.getByRole('checkbox', { name: 'document', exact: true })).not.toBeChecked();
  // One step back is the filter as it was, and another one leads out of it, however many keys it took.
  await page.goBack();
  await expect(route).toHaveValue('/lab/slow');
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('failed');
  await page.goBack();
  await expect(page).toHaveURL('/flights?own=1&kind=document');
  await expect(route).toHaveValue('');
  expect(await page.evaluate(() => Reflect.get(window, 'isSameDocument'))).toBe(true);
});

test('the list is put in order by its head, by an address', async ({ page, browser, baseURL, request }) => {
  const [slow, fast] = [await record(request, 400), await record(request, 0)];
  await openList(page, listPath, slow, fast);
  const plain = await openWithoutJavaScript(browser, baseURL);
  for (const own of [page, plain]) {
    await own.goto(listPath);
    const head = own.getByRole('columnheader', { name: 'Duration' });
    await head.getByRole('link').click();
    await expect(own).toHaveURL(`${listPath}&sort=duration`);
    await expect(head).toHaveAttribute('aria-sort', 'descending');
    await expect(own.getByText(/Sorted over (?:all )?\d+ flights/)).toBeVisible();
    const first = own.getByRole('table', { name: 'Flights' }).getByRole('row').nth(1);
    await expect(first).toContainText(/\d{3} ms|\d s/);
    await head.getByRole('link').click();
    await expect(own).toHaveURL(`${listPath}&sort=duration&dir=asc`);
    await expect(head).toHaveAttribute('aria-sort', 'ascending');
    await own.getByRole('columnheader', { name: 'When' }).getByRole('link').click();
    await expect(own).toHaveURL(listPath);
  }
  await plain.context().close();
  // The head stays.
  await page.setViewportSize({ width: 1280, height: 320 });
  await page.getByRole('table', { name: 'Flights' }).getByRole('row').nth(2).scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 400);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
  await expect(page.getByRole('columnheader', { name: 'Duration' })).toBeInViewport();
});

test('a row is one line, and all of it opens its flight', async ({ page, context, request }) => {
  const mark = await record(request, 0);
  await openList(page, listPath, mark);
  await openHydrated(page, listPath);
  const row = rowOf(page, mark);
  const box = await row.boundingBox();
  if (!box) throw new Error('The row has no box');
  expect(box.height).toBeLessThanOrEqual(33);
  const href = (await row.locator('.row-link').getAttribute('href')) ?? '';
  const opened = context.waitForEvent('page');
  await page.mouse.click(box.x + box.width - 8, box.y + 16, { button: 'middle' });
  await expect(await opened).toHaveURL(href);
  // A text over which one drags is selected, and opens nothing.
  const text = await row.getByText('200', { exact: true }).boundingBox();
  if (!text) throw new Error('The text has no box');
  await page.mouse.move(text.x + 1, text.y + text.height / 2);
  await page.mouse.down();
  await page.mouse.move(text.x + text.width - 1, text.y + text.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await page.evaluate(() => String(getSelection()))).toContain('200');
  await expect(page).toHaveURL(listPath);
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await row.getByText('200', { exact: true }).click();
  await expect(page).toHaveURL(href);
  await page.goBack();
  await expect(page).toHaveURL(listPath);
  await row.click({ position: { x: box.width - 8, y: 16 } });
  await expect(page).toHaveURL(href);
});

test('two ticked flights are compared', async ({ page, browser, baseURL, request }) => {
  const [first, second] = [await record(request, 0), await record(request, 0)];
  await openList(page, listPath, first, second);
  await openHydrated(page, listPath);
  const compare = page.getByRole('button', { name: 'Compare' });
  const tick = (own: Page, mark: string) => rowOf(own, mark).getByRole('checkbox', { name: mark });
  await expect(compare).toBeDisabled();
  await tick(page, first).check();
  await expect(page.getByText('1 ticked')).toBeVisible();
  await expect(compare).toBeDisabled();
  await tick(page, second).check();
  await expect(page.getByText('2 ticked')).toBeVisible();
  await compare.click();
  await expect(page).toHaveURL(/\/flights\/\d+\/diff\/\d+$/);
  const plain = await openWithoutJavaScript(browser, baseURL);
  await plain.goto(listPath);
  await tick(plain, first).check();
  await plain.getByRole('button', { name: 'Compare' }).click();
  await expect(plain).toHaveURL(/\/flights\/diff\?flight=\d+$/);
  await expect(plain.getByText('One is chosen.')).toBeVisible();
  await plain.context().close();
});

test('totals are of what is filtered, and lead to their flights', async ({ page, request }) => {
  const mark = await record(request, 0);
  await openList(page, listPath, mark);
  await page.getByRole('link', { name: 'Routes', exact: true }).click();
  await expect(page).toHaveURL('/flights?view=routes&own=1&route=%2Flab%2Fslow');
  const totals = page.getByRole('table', { name: 'Totals by route' });
  const row = totals.getByRole('row').filter({ hasText: 'document' });
  await expect(row).toHaveCount(1);
  await expect(totals.getByRole('link', { name: '/lab/slow' }).first()).toBeVisible();
  await row.getByRole('link').click();
  await expect(page).toHaveURL('/flights?own=1&kind=document&route=%22%2Flab%2Fslow%22');
  await expect(rowOf(page, mark)).toBeVisible();
});

test('on a narrow screen the filter is one line, which opens without JavaScript and stays open while one types', async ({
  page,
  browser,
  baseURL,
  request,
}) => {
  const mark = await record(request, 0);
  await openList(page, listPath, mark);
  const plain = await openWithoutJavaScript(browser, baseURL);
  for (const own of [plain, page]) {
    await own.setViewportSize({ width: 390, height: 844 });
    const route = own.getByRole('combobox', { name: 'Route contains' });
    if (own === plain) await own.goto('/flights?own=1');
    else await openHydrated(own, '/flights?own=1');
    await expect(route).toBeHidden();
    await own.locator('summary', { hasText: 'Filter' }).click();
    await expect(route).toBeVisible();
    // It is open where something is filtered.
    await own.goto(listPath);
    await expect(route).toBeVisible();
  }
  await plain.context().close();
  await openHydrated(page, listPath);
  const route = page.getByRole('combobox', { name: 'Route contains' });
  await route.fill('');
  await expect(page).toHaveURL('/flights?own=1');
  await expect(route).toBeFocused();
  await expect(route).toBeVisible();
  // Of these nothing new comes, which would be told by a longer text.
  await openHydrated(page, '/flights?own=1&route=nowhere-at-all');
  const tabs = await page.getByRole('navigation', { name: 'View' }).boundingBox();
  const live = await page.getByText('live', { exact: true }).boundingBox();
  expect(tabs?.height).toBeLessThan(45);
  expect((live?.y ?? Infinity) - (tabs?.y ?? 0)).toBeLessThan(tabs?.height ?? 0);
});

test('the state of the recording is one line, and the rest is behind it', async ({ page }) => {
  await page.goto('/flights');
  const recording = page.getByRole('region', { name: 'Recording' });
  await expect(recording).toContainText(/Recording every flight\s*[\d,]+ flights?.*% of 256 MiB/);
  expect((await recording.boundingBox())?.height).toBeLessThan(40);
  await expect(recording.getByText('RECORD_MIB')).toBeHidden();
  await recording.getByText('Recording every flight').click();
  await expect(recording.getByText('RECORD_MIB')).toBeVisible();
});

test.describe('where clocks do not show UTC', () => {
  test.use({ timezoneId: 'Asia/Kolkata' });

  test('a time is there as in the log and as on the clock', async ({ page, request }) => {
    const mark = await record(request, 0);
    await openList(page, listPath, mark);
    await openHydrated(page, listPath);
    const when = rowOf(page, mark).locator('time');
    await expect(when).toHaveAttribute('title', /^\d{4}-\d\d-\d\d [\d:.]+ UTC\n(?:\d\d-\d\d )?[\d:]+ local$/);
    const title = (await when.getAttribute('title')) ?? '';
    const [, hour, minute] = /(\d\d):(\d\d):[\d.]+ UTC/.exec(title) ?? [];
    const local = /(\d\d):(\d\d):\d\d local/.exec(title) ?? [];
    const minutes = (Number(hour) * 60 + Number(minute) + 330) % 1_440;
    expect([Number(local[1]), Number(local[2])]).toEqual([Math.floor(minutes / 60), minutes % 60]);
    await rowOf(page, mark).locator('.row-link').click();
    await expect(page.getByText(/^(?:\d\d-\d\d )?[\d:]{8} local$/).first()).toBeAttached();
  });
});
