import { randomUUID } from 'node:crypto';

import { AxeBuilder } from '@axe-core/playwright';
import type { APIRequestContext, Page } from 'playwright/test';

import { operatorPath } from '../src/server/http/addresses.ts';
import { packBundle, sha1 } from '../src/faults/source-maps/thread/testing/pack-map.ts';
import { addApp } from './testing/add-app.ts';
import { makeUploadToken } from './testing/make-upload-token.ts';
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

async function askUpload(request: APIRequestContext, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await request.get('/api/0/organizations/any/chunk-upload/', { headers })).status();
}

/** By the form of the app's page, which is open. @returns it as it is shown */
async function makeToken(page: Page, name: string): Promise<string> {
  const panel = page.getByRole('region', { name: 'Source maps' });
  await panel.getByText('Make an upload token').click();
  await panel.getByLabel('What it is for').fill(name);
  await panel.getByRole('button', { name: 'Make the upload token' }).click();
  await expect(panel.getByText(`The token “${name}” is made.`)).toBeVisible();
  const shown = await panel.getByText(/SENTRY_AUTH_TOKEN=flu_\w{8}_/).innerText();
  return /flu_[0-9a-z]{8}_[\w-]{43}/.exec(shown)?.[0] ?? '';
}

const release = 'shop@1.0-with-a-name-that-is-longer-than-a-narrow-screen-has-room-for';

test.describe('source maps of an app', () => {
  test('are listed with their releases, beside the commands that upload them, and can be deleted', async ({
    page,
    request,
  }) => {
    const app = `maps-${randomUUID().slice(0, 8)}`;
    const secretKey = await addApp(app);
    await openHydrated(page, `/apps/${app}`);
    const panel = page.getByRole('region', { name: 'Source maps' });
    await expect(panel.getByText('None were uploaded.')).toBeVisible();
    await expect(panel.getByText('SENTRY_AUTH_TOKEN=flu_…')).toBeVisible();
    await expect(panel.getByText(secretKey)).toHaveCount(0);
    const token = await makeToken(page, 'the build');
    await upload(request, token, release);
    await upload(request, token, '2.0');
    await page.reload();
    await expect(panel.getByText(token)).toHaveCount(0);
    const rows = panel.getByRole('row');
    await expect(rows.filter({ hasText: 'the build' })).toContainText(`uploads source maps of ${app}`);
    await expect(rows.filter({ hasText: release })).toContainText('1 script');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
    await panel.getByRole('button', { name: `Delete the source maps of ${release}` }).click();
    await expect(rows.filter({ hasText: release })).toHaveCount(0);
    await expect(rows.filter({ hasText: '2.0' })).toBeVisible();
    await panel.getByRole('button', { name: 'Revoke the build' }).click();
    await expect(rows.filter({ hasText: 'the build' })).toHaveCount(0);
    expect(await askUpload(request, token)).toBe(401);
    expect(await askUpload(request, secretKey)).toBe(403);
  });

  test('take a token that is made without JavaScript', async ({ browser, baseURL, request }) => {
    const app = `maps-${randomUUID().slice(0, 8)}`;
    await addApp(app);
    const page = await openWithoutJavaScript(browser, baseURL);
    await page.goto(`/apps/${app}`);
    const token = await makeToken(page, 'an old browser');
    expect(await askUpload(request, token)).toBe(200);
    await page.goto(operatorPath);
    await page
      .getByRole('row', { name: new RegExp(`an old browser.*${token.slice(0, 12)}`) })
      .getByRole('button')
      .click();
    expect(await askUpload(request, token)).toBe(401);
    await page.context().close();
  });

  test('can be deleted without JavaScript', { tag: '@daily' }, async ({ browser, baseURL, request }) => {
    const app = `maps-${randomUUID().slice(0, 8)}`;
    await addApp(app);
    await upload(request, await makeUploadToken(app), '2.0');
    const page = await openWithoutJavaScript(browser, baseURL);
    await page.goto(`/apps/${app}`);
    const panel = page.getByRole('region', { name: 'Source maps' });
    await panel.getByRole('button', { name: 'Delete the source maps of 2.0' }).click();
    await expect(panel.getByText('None were uploaded.')).toBeVisible();
    await page.context().close();
  });
});
