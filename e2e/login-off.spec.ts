import { startServer, type RunningServer } from '../reliability/testing/start-server.ts';
import { waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

let server: RunningServer;

test.beforeAll(async () => {
  server = await startServer({ env: { FLIGHT_AUTH: 'off' } });
});

test.afterAll(() => server[Symbol.asyncDispose]());

const text = 'Sign-in is off (FLIGHT_AUTH=off)';
const pages = ['/', '/operator', '/lab', '/lab/prefetch/3', '/nowhere', '/lab/throw-before-shell', '/login'];

test('every page says that nobody has to sign in, prerendered ones and error pages too', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of pages) {
    await page.goto(server.origin + path);
    await expect(page.getByRole('note'), path).toContainText(text);
  }
  await context.close();
});

test('it stays there with JavaScript, through hydration, navigation and actions', async ({ page }) => {
  await page.goto(`${server.origin}/`);
  await waitUntilHydrated(page);
  await expect(page.getByRole('note')).toContainText(text);
  await page.getByRole('banner').getByRole('link', { name: 'Lab' }).click();
  await expect(page).toHaveURL(`${server.origin}/lab`);
  await expect(page.getByRole('note')).toContainText(text);
  await page.goto(`${server.origin}/lab/actions?key=login-off`);
  await waitUntilHydrated(page);
  await page.getByRole('textbox', { name: 'Nickname' }).fill('nobody');
  await page.getByRole('button', { name: 'Save nickname' }).click();
  await expect(page.getByTestId('nickname')).toContainText('hello, nobody');
  await expect(page.getByRole('note')).toHaveCount(1);
});

test('nothing of it is there when the login is on', async ({ page }) => {
  for (const path of pages.filter((each) => each !== '/lab/throw-before-shell' && each !== '/nowhere')) {
    await page.goto(path);
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.getByRole('note')).toHaveCount(0);
  }
});
