import { randomUUID } from 'node:crypto';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

for (const width of [390, 1280]) {
  test(`what was waited for is named whole beside bars of any length, at ${width} px`, async ({ page, request }) => {
    const mark = `names-${randomUUID().slice(0, 8)}`;
    await (await request.get(`/lab/streaming?${mark}=1`, { headers: { accept: 'text/html' } })).text();
    await page.setViewportSize({ width, height: 900 });
    const link = page.getByRole('table', { name: 'Flights' }).getByRole('link', { name: mark });
    await expect(async () => {
      await page.goto('/flights?own=1');
      await expect(link).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await openHydrated(page, (await link.getAttribute('href')) ?? '');
    await page.getByRole('tab', { name: 'Waterfall' }).click();
    const names = page.locator('.flight-lane-wait-name');
    await expect(names).toHaveCount(6);
    const cut = await names.evaluateAll((all) =>
      all.filter((name) => name.scrollWidth > name.clientWidth).map(({ textContent }) => textContent),
    );
    expect(cut).toEqual([]);
  });
}
