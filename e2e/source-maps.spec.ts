import { randomUUID } from 'node:crypto';

import { AxeBuilder } from '@axe-core/playwright';
import type { APIRequestContext } from 'playwright/test';

import { packBundle, sha1 } from '../src/reports/source-maps/thread/testing/pack-map.ts';
import { addApp } from './testing/add-app.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

/** As the Sentry CLI does it. */
async function upload(request: APIRequestContext, key: string, version: string): Promise<void> {
  const bundle = packBundle([{ url: '~/static/app.min.js' }]);
  const id = sha1(bundle);
  const headers = { authorization: `Bearer ${key}` };
  const api = '/api/0/organizations/any';
  const file = { name: id, mimeType: 'application/octet-stream', buffer: bundle };
  expect((await request.post(`${api}/chunk-upload/`, { headers, multipart: { file } })).status()).toBe(200);
  const data = { checksum: id, chunks: [id], version };
  const answer = await request.post(`${api}/artifactbundle/assemble/`, { headers, data });
  expect(await answer.json()).toEqual({ state: 'ok', missingChunks: [] });
}

const release = 'shop@1.0-with-a-name-that-is-longer-than-a-narrow-screen-has-room-for';

test.describe('source maps of an app', () => {
  test('are listed with their releases, beside the commands that upload them, and can be deleted', async ({
    page,
    request,
  }) => {
    const app = `maps-${randomUUID().slice(0, 8)}`;
    const key = await addApp(app);
    await openHydrated(page, `/apps/${app}`);
    const panel = page.getByRole('region', { name: 'Source maps' });
    await expect(panel.getByText('None were uploaded.')).toBeVisible();
    await expect(panel.getByText(`SENTRY_AUTH_TOKEN=${key}`)).toBeVisible();
    await upload(request, key, release);
    await upload(request, key, '2.0');
    await page.reload();
    const rows = panel.getByRole('row');
    await expect(rows.filter({ hasText: release })).toContainText('1 script');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
    await panel.getByRole('button', { name: `Delete the source maps of ${release}` }).click();
    await expect(rows.filter({ hasText: release })).toHaveCount(0);
    await expect(rows.filter({ hasText: '2.0' })).toBeVisible();
  });

  test('can be deleted without JavaScript', { tag: '@daily' }, async ({ browser, baseURL, request }) => {
    const app = `maps-${randomUUID().slice(0, 8)}`;
    await upload(request, await addApp(app), '2.0');
    const page = await openWithoutJavaScript(browser, baseURL);
    await page.goto(`/apps/${app}`);
    const panel = page.getByRole('region', { name: 'Source maps' });
    await panel.getByRole('button', { name: 'Delete the source maps of 2.0' }).click();
    await expect(panel.getByText('None were uploaded.')).toBeVisible();
    await page.context().close();
  });
});
