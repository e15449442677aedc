import { breakPage } from './testing/break-page.ts';
import { expect, test } from './testing/test.ts';

test.describe('the page of a digest', () => {
  test(
    'shows the cause: message, source line, request, what the visitor saw',
    { tag: '@daily' },
    async ({ page, request }) => {
      const response = await request.get('/lab/throw-before-shell');
      const digest = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(await response.text())?.[0] ?? '';
      await page.goto(`/digest/${digest}`);
      await expect(page).toHaveTitle(`${digest} · Flight Recorder`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Error: canary-before-shell');
      const source = page.getByRole('figure', { name: 'Source of src/lab/throw-before-shell.tsx:14:9' });
      await expect(source.locator('pre > span').filter({ hasText: 'here: 14' })).toContainText('throw new Error');
      const facts = page.getByRole('region', { name: 'Request' });
      await expect(facts).toContainText('GET /lab/throw-before-shell');
      await expect(facts).toContainText(response.headers()['x-request-id'] ?? 'no request id');
      await expect(facts).toContainText('rendering server components');
      const seen = page.getByRole('region', { name: 'What the visitor saw' });
      await expect(seen).toContainText('A server-side error has occurred');
      await expect(seen).toContainText(digest);
      await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('canary-before-shell');
    },
  );

  test('shows the component stack of a failure in server rendering', async ({ page, request }) => {
    await page.goto(`/digest/${await breakPage(request, '/lab/throw-in-ssr')}`);
    await expect(page.locator('details', { hasText: /^Component stack/ })).toContainText('at ThrowInSsr');
    await expect(page.getByRole('region', { name: 'Request' })).toContainText('client components on the server');
  });

  test('shows a thrown string, which has no stack', async ({ page, request }) => {
    await page.goto(`/digest/${await breakPage(request, '/lab/throw-string')}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'thrown string: canary-string: a string thrown on purpose',
    );
    await expect(page.getByRole('region', { name: 'Where it was thrown' })).toContainText('No stack came with it');
  });

  test('lists the other errors of the same fault, with a chart', async ({ page, request }) => {
    const earlier = await breakPage(request, '/lab/throw-in-ssr');
    const digest = await breakPage(request, '/lab/throw-in-ssr');
    await page.goto(`/digest/${digest}`);
    const fault = page.getByRole('region', { name: 'Same fault' });
    await expect(fault.getByRole('img', { name: /errors from .* UTC to .* UTC/ })).toBeVisible();
    await fault.getByRole('link', { name: earlier }).click();
    await expect(page).toHaveURL(`/digest/${earlier}`);
  });

  test('copies the digest and the stack', async ({ page, request, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const digest = await breakPage(request, '/lab/throw-before-shell');
    await page.goto(`/digest/${digest}`);
    await page.getByRole('button', { name: 'Copy digest' }).click();
    await expect(page.getByText('Copied: digest')).toBeAttached();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digest);
    await page.getByRole('button', { name: 'Copy stack' }).click();
    await expect(page.getByText('Copied: stack')).toBeAttached();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^Error: canary-before-shell.*\n {4}at ThrowBeforeShell \(src\/lab\/throw-before-shell\.tsx:14:9\)\n/,
    );
  });

  test('redirects other spellings to the one that error pages show', async ({ page, request }) => {
    const digest = await breakPage(request, '/lab/throw-before-shell');
    await page.goto(`/digest/${digest.replace('-', '').toLowerCase()}`);
    await expect(page).toHaveURL(`/digest/${digest}`);
  });

  for (const code of ['00000-00000', 'nonsense']) {
    test(`is a helpful 404 for ${code}`, { tag: '@daily' }, async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/404/);
      const response = await page.goto(`/digest/${code}`);
      expect(response?.status()).toBe(404);
      expect(await response?.text()).toContain('Nothing is stored at this address');
      await expect(page.getByText('Errors are kept for a limited time')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Search' })).toBeVisible();
    });
  }
});

test(
  'an error in the browser is looked up by its digest too',
  { tag: '@daily' },
  async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/canary-in-browser/);
    await page.goto('/lab/throw-in-browser');
    const reported = page.waitForResponse('**/tunnel');
    await page.getByRole('button', { name: 'Throw' }).click();
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('A client-side error has occurred');
    const digest = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec((await alert.textContent()) ?? '')?.[0] ?? 'none';
    expect((await reported).status()).toBe(200);
    await page.goto(`/digest/${digest}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('thrown on purpose in the browser');
    await expect(page.getByRole('region', { name: 'The browser’s error' })).toContainText('/lab/throw-in-browser');
    const moments = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    // The page's own console line about it may stand above it.
    await expect(moments.filter({ hasText: 'Error: canary-in-browser' }).last()).toContainText('browser');
  },
);

test('an error page gives its digest by one copy, which one paste looks up', async ({
  page,
  context,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/500|Server Components render|Minified React error #441/);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/lab/throw-before-shell');
  await page.getByRole('button', { name: 'Copy digest' }).click();
  await expect(page.getByText('Copied: digest')).toBeAttached();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByLabel('Digest, id or words').focus();
  await page.keyboard.press('Control+V');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('figure', { name: /Source of src\/lab\/throw-before-shell\.tsx:14/ })).toBeVisible();
});
