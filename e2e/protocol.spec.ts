import { AxeBuilder } from '@axe-core/playwright';

import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

test('a token is found in the contents, in the address and by the filter', async ({ page }) => {
  await openHydrated(page, '/protocol');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: '$Q', exact: true }).click();
  await expect(page).toHaveURL('/protocol#form-Q');
  const entry = page.getByRole('article', { name: /Map/ });
  await expect(entry).toBeInViewport();
  await expect(entry).toContainText('new Map([["Ada", 36]])');

  const filter = page.getByRole('searchbox', { name: 'Find a token or a word' });
  await filter.fill('$S');
  await expect(page.getByRole('article', { name: /symbol/ })).toBeVisible();
  await expect(entry).toBeHidden();
  // Small s is another letter.
  await expect(page.getByRole('article', { name: /stream/ }).first()).toBeHidden();
  await filter.fill('experimental builds');
  await expect(page.getByRole('article')).toHaveCount(1);
  await filter.fill('no such word here');
  await expect(page.getByText('Nothing found. Try a shorter sign')).toBeVisible();
  // As the course has it.
  await filter.fill('"$@…"');
  await expect(page.getByRole('article', { name: /\$@1/ })).toBeVisible();
  await filter.fill('');
  await expect(entry).toBeVisible();
});

test('letters that differ by their case are different places', async ({ page }) => {
  for (const [anchor, name] of [
    ['row-S', 'Int16Array'],
    ['row-s', 'Uint16Array'],
    ['hint-M', 'preinitModule'],
    ['hint-m', 'preloadModule'],
  ] as const) {
    await page.goto(`/protocol#${anchor}`);
    const target = page.locator(':target');
    await expect(target).toContainText(name);
    await expect(target).toBeInViewport();
  }
});

test('an example opens in the decoder, byte for byte', async ({ page }) => {
  await openHydrated(page, '/protocol');
  await page.getByRole('link', { name: 'Open in the decoder: truncated' }).click();
  await expect(page.getByRole('heading', { name: 'An example' })).toBeVisible();
  await expect(page.getByText(/^Cut off at byte/).first()).toBeVisible();

  await page.goto('/protocol');
  await page.getByRole('link', { name: 'Open in the decoder: parts' }).click();
  await page.getByRole('tab', { name: 'Rows' }).click();
  await expect(page.getByRole('listbox', { name: 'Rows' })).toContainText('Array(2)');
});

test('axe finds nothing, target sizes included', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openHydrated(page, '/protocol');
  // The tokens of a hundred examples look alike. Axe looks at those of two.
  const alike = '.protocol-section:not(#framing) .protocol-entry:not(#form-L) .protocol-raw';
  const light = await new AxeBuilder({ page })
    .exclude(alike)
    .options({ rules: { 'target-size': { enabled: true } } })
    .analyze();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await new AxeBuilder({ page }).exclude(alike).withRules(['color-contrast']).analyze();
  const violations = [...light.violations, ...dark.violations];
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
});

test('390 pixels are enough', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/protocol');
  const overflowing = await page.evaluate(() => {
    const edge = document.documentElement.clientWidth + 0.5;
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > edge)
      .map((element) => element.outerHTML.slice(0, 120));
  });
  expect(overflowing).toEqual([]);
});

test(
  'without JavaScript all of it is there, and the links lead to their places',
  { tag: '@daily' },
  async ({ browser, baseURL }) => {
    const page = await openWithoutJavaScript(browser, baseURL);
    await page.goto('/protocol');
    await expect(page.getByRole('heading', { level: 1, name: 'Flight, token by token' })).toBeVisible();
    await expect(page.getByRole('searchbox')).toBeHidden();
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'HL', exact: true }).click();
    await expect(page.locator(':target')).toContainText('preload');
    await expect(page.locator(':target')).toBeInViewport();
    await expect(page.getByRole('article')).toHaveCount(await page.locator('article').count());
    await page.context().close();
  },
);

test('is linked from where Flight is met', async ({ page }) => {
  await page.goto('/decode');
  await page.getByRole('link', { name: 'the page about the protocol' }).click();
  await expect(page).toHaveURL('/protocol');
  await page.goto('/');
  await page.getByRole('link', { name: 'The protocol, token by token' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Flight, token by token' })).toBeVisible();
});
