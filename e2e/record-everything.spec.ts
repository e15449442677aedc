import { startServer } from '../reliability/testing/start-server.ts';
import { expect, test } from './testing/test.ts';

test.use({ storageState: { cookies: [], origins: [] } });

for (const javaScriptEnabled of [true, false]) {
  test(`with RECORD=errors an empty list says why, and everything is recorded for a while, over a restart too, ${
    javaScriptEnabled ? 'with' : 'without'
  } JavaScript`, async ({ browser }) => {
    const env = { RECORD: 'errors', FLIGHT_AUTH: 'off' };
    const first = await startServer({ env });
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 390, height: 800 } });
    try {
      const page = await context.newPage();
      const said = page.getByRole('region', { name: 'What is recorded' });
      const rows = page.getByRole('table', { name: 'Flights' }).getByRole('row');
      await page.goto(`${first.origin}/lab/slow?ms=0`);
      // The front page offers it, too, and a click there stays there.
      await page.goto(first.origin);
      await expect(page.getByRole('button', { name: 'Record everything for 10 minutes' })).toBeVisible();
      await page.goto(`${first.origin}/flights`);
      await expect(said).toContainText('Recorded of Flight Recorder itself: flights that fail, as RECORD says');
      await expect(rows).toHaveCount(0);
      await said.getByRole('button', { name: 'Record everything for 10 minutes' }).click();
      await expect(said).toContainText('Everything is recorded for 10 more minutes');
      await expect(said).toContainText('After that: flights that fail, as RECORD says.');
      await expect(said).not.toContainText('Recorded of'); // It is false meanwhile.
      await page.goto(`${first.origin}/lab/slow?ms=0`);
      await expect(async () => {
        await page.goto(`${first.origin}/flights`);
        await expect(page.getByRole('link', { name: '/lab/slow' }).first()).toBeVisible({ timeout: 1_000 });
      }).toPass();
      await page.goto(`${first.origin}/flights/prefetches`);
      await expect(said.getByRole('button', { name: 'Stop now' })).toBeVisible();

      await page.goto('about:blank');
      await first.end('SIGTERM');
      await using second = await startServer({ env, dataFolder: first.dataFolder });
      await page.goto(`${second.origin}/flights`);
      await expect(said).toContainText('Everything is recorded for');
      await said.getByRole('button', { name: 'Stop now' }).click();
      await expect(said.getByRole('button', { name: 'Record everything for 10 minutes' })).toBeVisible();
      await page.goto(`${second.origin}/lab/slow?ms=0&stopped=1`);
      await page.goto(`${second.origin}/runtime`);
      await page.goto(`${second.origin}/flights`);
      await expect(page.getByRole('link', { name: /stopped/ })).toHaveCount(0);
    } finally {
      await context.close();
      await first[Symbol.asyncDispose]();
    }
  });
}
