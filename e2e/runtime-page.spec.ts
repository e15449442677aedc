import { expect, test } from './testing/test.ts';

test('shows the settings, and the prefetches of this browser as they live', { tag: '@daily' }, async ({ page }) => {
  await page.goto('/runtime');
  const settings = page.getByRole('region', { name: 'Settings' });
  for (const [name, value] of [
    ['prefetchDynamicLifetimeMs', '30 s'],
    ['prefetchStaticLifetimeMs', '300 s'],
    ['concurrentPrefetches', '5'],
    ['routeLoadingTimeoutMs', '3.8 s'],
    ['pageDataRetries', '3'],
    ['breadcrumbsKept', '100'],
    ['baggageMaxLength', '8,192'],
  ] as const) {
    await expect(settings.getByRole('row').filter({ hasText: name }).getByRole('cell')).toHaveText(value);
  }
  const browser = page.getByRole('region', { name: 'In this browser' });
  await expect(browser).toContainText('No page is prefetched');
  await page.getByRole('link', { name: 'About this recorder' }).hover();
  const entry = browser.getByRole('row').filter({ hasText: '/about' });
  await expect(entry).toContainText(/static(300|29\d) s/);
});

test('begins with what is not well, without JavaScript too', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto('/runtime');
  await expect(page.getByRole('main').getByRole('region').first()).toHaveAccessibleName('Health');
  await expect(page.getByRole('region', { name: 'Health' })).toContainText(/All is well|refused|lost/);
  await context.close();
});

test('shows what runs the server, without JavaScript too', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto('/runtime');
  const reach = page.getByRole('region', { name: 'Who reaches it' });
  await expect(reach).toContainText(`Opened at${new URL(baseURL ?? '').origin} BASE_URL`);
  await expect(reach).toContainText(/Sign-inneeded FLIGHT_AUTH/);
  const server = page.getByRole('region', { name: 'On the server' });
  await expect(server).toContainText(/Node24\.\d+\.\d+/);
  await expect(server).toContainText(/Waku1\.0\.0/);
  await expect(page.getByRole('region', { name: 'In this browser' })).toContainText('a browser with JavaScript');
  await context.close();
});

test('what is removed and what is not kept are one click from where one looks for them', async ({ page }) => {
  for (const path of ['/runtime', '/apps', '/faults']) {
    await page.goto(path);
    const main = page.getByRole('main');
    await expect(main.getByRole('link', { name: 'What is removed before storing' })).toHaveAttribute(
      'href',
      '/scrubbing',
    );
    await expect(main.getByRole('link', { name: 'What was received and not kept' })).toHaveAttribute(
      'href',
      '/not-kept',
    );
  }
});
