import type { Page, Response } from 'playwright/test';

import { breakPage } from './testing/break-page.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

const digestPattern = /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/;
/** What a browser writes to its console when a server error reaches it. React's texts are the minified ones. */
const serverErrorInConsole =
  /status of 500|ServerError|Minified React error #(?:441|419)|An error occurred in the Server Components/;

async function readPanelDigest(page: Page): Promise<string> {
  await expect(page.getByRole('alert')).toBeVisible();
  const digest = digestPattern.exec(await page.getByRole('alert').innerText())?.[0];
  if (!digest) throw new Error('The error panel shows no digest');
  return digest;
}

async function expectCause(page: Page, digest: string, heading: RegExp, facts: readonly string[]): Promise<void> {
  await page.goto(`/digest/${digest}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
  for (const fact of facts) await expect(page.getByRole('region', { name: 'Request' })).toContainText(fact);
}

function expectPrivate(response: Response | null): void {
  expect(response?.headers()['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
}

test.beforeEach(({ expectConsoleErrors }) => expectConsoleErrors(serverErrorInConsole));

test.describe('a failing document', () => {
  test('is a 500 whose digest is the same before and after hydration', { tag: '@daily' }, async ({ page }) => {
    const response = await page.goto('/lab/throw-before-shell');
    expect(response?.status()).toBe(500);
    expectPrivate(response);
    const inHtml = digestPattern.exec((await response?.text()) ?? '')?.[0];
    await expect(page.getByRole('banner')).toBeVisible();
    expect(await readPanelDigest(page)).toBe(inHtml);
    await expectCause(page, inHtml ?? '', /^Error: canary-before-shell/, [
      'rsc',
      'document',
      '/lab/throw-before-shell',
    ]);
  });

  test('moves the focus to the panel, says which side failed, and copies the digest', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/lab/throw-before-shell');
    const digest = await readPanelDigest(page);
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeFocused();
    await expect(page.getByRole('alert')).toContainText(
      'server-side error has occurred. The cause is in the server log',
    );
    await page.getByRole('button', { name: 'Copy digest' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digest);
  });

  test('shows a thrown string like any other error', async ({ page }) => {
    expect((await page.goto('/lab/throw-string'))?.status()).toBe(500);
    await expectCause(page, await readPanelDigest(page), /^thrown string: canary-string/, ['rsc']);
  });

  test('that fails only in server rendering is rendered by the browser', async ({ page }) => {
    const response = await page.goto('/lab/throw-in-ssr');
    expect(response?.status()).toBe(500);
    const digest = digestPattern.exec((await response?.text()) ?? '')?.[0] ?? '';
    await expect(page.locator('main p', { hasText: 'The browser did.' }).first()).toBeVisible();
    await expectCause(page, digest, /^Error: canary-in-ssr/, ['ssr', 'document']);
  });

  test('fails after the shell inside the layout, with status 200', async ({ page }) => {
    const response = await page.goto('/lab/throw-after-shell');
    expect(response?.status()).toBe(200);
    await expect(page.getByRole('heading', { name: 'Throw after the shell' })).toBeVisible();
    await expectCause(page, await readPanelDigest(page), /^Error: canary-after-shell/, ['rsc', 'document']);
  });
});

test.describe('a failing document without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  for (const name of ['throw-before-shell', 'throw-string', 'throw-in-ssr']) {
    test(`${name} is a complete error page`, { tag: '@daily' }, async ({ page }) => {
      const response = await page.goto(`/lab/${name}`);
      expect(response?.status()).toBe(500);
      await expect(page).toHaveTitle(/Something went wrong/);
      await expect(page.getByRole('alert')).toContainText('server-side error');
      await expect(page.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/');
      const digest = await readPanelDigest(page);
      await page.getByRole('link', { name: 'Try again' }).click();
      expect(await readPanelDigest(page)).not.toBe(digest);
    });
  }
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'an error page' : 'an error page without JavaScript', () => {
    test.use({ javaScriptEnabled, timezoneId: 'Asia/Kolkata' });

    test('says when it was and takes what its visitor was doing to the digest’s page', async ({ page }) => {
      const begin = Date.now();
      await page.goto('/lab/throw-before-shell');
      const digest = await readPanelDigest(page);
      const alert = page.getByRole('alert');
      const time = alert.getByRole('time');
      await expect(time).toHaveText(javaScriptEnabled ? /GMT\+5:30$/ : /UTC$/);
      const told = Date.parse((await time.getAttribute('datetime')) ?? '');
      expect(told).toBeGreaterThanOrEqual(begin - 1_000);
      expect(told).toBeLessThanOrEqual(Date.now() + 1_000);
      const text = `I pressed <b>pay</b> ${digest} as ada@example.org`;
      await alert.getByLabel('What were you doing?').fill(text);
      await alert.getByRole('button', { name: 'Send' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you');
      await expect(page.getByRole('main')).toContainText(digest);
      await page.getByRole('link', { name: 'Back to the page' }).click();
      await expect(page).toHaveURL('/lab/throw-before-shell');
      await page.goto(`/digest/${digest}`);
      const panel = page.getByRole('region', { name: 'What people wrote' });
      await expect(panel).toContainText(`I pressed <b>pay</b> ${digest} as [email]`);
      await expect(panel).toContainText('/lab/throw-before-shell');
    });

    test('shows the operator the cause', async ({ page }) => {
      await page.goto('/lab/throw-before-shell');
      const digest = await readPanelDigest(page);
      await page.getByRole('alert').getByRole('link', { name: 'Show the cause' }).click();
      await expect(page).toHaveURL(`/digest/${digest}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('canary-before-shell');
      await expect(page.getByRole('region', { name: 'What people wrote' })).toHaveCount(0);
    });
  });
}

test('what a visitor writes about an error of the browser is kept with the browser’s digest', async ({
  page,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/canary-in-browser/);
  await openHydrated(page, '/lab/throw-in-browser');
  const reported = page.waitForResponse('**/tunnel');
  await page.getByRole('button', { name: 'Throw', exact: true }).click();
  const digest = await readPanelDigest(page);
  await reported;
  await page.getByLabel('What were you doing?').fill('I pressed the button');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you');
  await page.goto(`/digest/${digest}`);
  await expect(page.getByRole('region', { name: 'What people wrote' })).toContainText('I pressed the button');
});

test('a panel stays whole when the server does not answer what it asks', async ({ page, expectConsoleErrors }) => {
  expectConsoleErrors(/503|ERR_FAILED/);
  await page.route('**/feedback', (route) => route.fulfill({ status: 503, body: 'busy' }));
  await page.goto('/lab/throw-before-shell');
  await readPanelDigest(page);
  await expect(page.getByRole('alert').getByRole('time')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Show the cause' })).toHaveCount(0);
  await page.unroute('**/feedback');
  await page.route('**/feedback', (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('alert').getByRole('button', { name: 'Send' })).toBeVisible();
});

test.describe('a failing navigation', () => {
  test(
    'shows the error inside the layout, at its own address, and goes away with the visitor',
    { tag: '@daily' },
    async ({ page }) => {
      await openHydrated(page, '/lab');
      await page.evaluate(() => Object.assign(window, { sameDocument: true }));
      await page.getByRole('link', { name: 'Throw before the shell, by navigation' }).click();
      const digest = await readPanelDigest(page);
      await expect(page).toHaveURL(/\/lab\/throw-before-shell$/);
      await expect(page.getByRole('banner')).toBeVisible();
      expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
      await page.getByRole('button', { name: 'Go back' }).click();
      await expect(page.getByRole('heading', { name: 'Lab', level: 1 })).toBeVisible();
      await expect(page.getByRole('alert')).toHaveCount(0);
      await page.goto(`/digest/${digest}`);
      await expect(page.getByRole('region', { name: 'Request' })).toContainText(/navigation|prefetch/);
    },
  );

  test('is tried again over the network, in the same document', { tag: '@daily' }, async ({ page }) => {
    await openHydrated(page, '/lab');
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    let requests = 0;
    await page.route('**/RSC/R/lab/slow.txt*', async (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      return route.fulfill({
        status: 500,
        contentType: 'text/plain',
        headers: { 'x-flight-digest': '3F7K2M9QRT' },
        body: 'The server failed to answer this request.',
      });
    });
    await page.getByRole('link', { name: /slow/i }).first().click();
    expect(await readPanelDigest(page)).toBe('3F7K2-M9QRT');
    const before = requests;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Lab');
    expect(requests).toBe(before + 1);
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  });

  test('that fails again when tried again shows the new error, and is told once', async ({
    page,
    expectConsoleErrors,
  }) => {
    expectConsoleErrors(/502|Bad gateway/);
    await openHydrated(page, '/lab');
    await page.getByRole('link', { name: 'Throw before the shell, by navigation' }).click();
    const digest = await readPanelDigest(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).not.toContainText(digest);
    const second = await readPanelDigest(page);
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeFocused();
    await page.route('**/RSC/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).not.toContainText(second);
    await expect(page.getByRole('alert')).toContainText('client-side');
    await expect(page.getByRole('alert')).toHaveCount(1);
    await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
  });

  test('gives way to the page once a link to it brings a good answer', async ({ page }) => {
    await openHydrated(page, '/lab');
    const path = '**/RSC/R/_root.txt*';
    await page.route(path, (route) =>
      route.fulfill({ status: 500, headers: { 'x-flight-digest': '3F7K2M9QRT' }, body: 'The server failed.' }),
    );
    const home = page.getByRole('banner').getByRole('link', { name: 'Flight Recorder' });
    await home.click();
    expect(await readPanelDigest(page)).toBe('3F7K2-M9QRT');
    await page.unroute(path);
    await home.click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByLabel('Digest, id or words')).toBeVisible();
  });

  test('that was prefetched shows the digest of the prefetch, without asking again', async ({ page, context }) => {
    await openHydrated(page, '/lab/prefetch');
    const asked: string[] = [];
    context.on('request', (request) => {
      if (!request.url().includes('/RSC/R/lab/throw-string')) return;
      asked.push(request.headers()['x-flight-prefetch'] ?? 'none');
    });
    const link = page.getByRole('link', { name: 'one that fails' });
    const prefetched = page.waitForResponse((response) => response.url().includes('/RSC/R/lab/throw-string'));
    await link.hover();
    await prefetched;
    await link.click();
    await expectCause(page, await readPanelDigest(page), /^thrown string: canary-string/, ['prefetch']);
    expect(asked).toEqual(['hover']);
  });
});

test('a failing root is caught by the boundary around the router', async ({ page }) => {
  await page.route('**/lab', async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const buildId = /_buildId\\":\\"([\w-]+)/.exec(html)?.[1];
    // What the server sends when the root layout throws: the element is there, but it is an error.
    const elements = { root: '$L1', 'route:/lab': null, ROUTE: ['/lab', ''], IS_STATIC: true, _buildId: buildId };
    const rows = `1:E{"digest":"3F7K2M9QRT"}\n0:${JSON.stringify(elements)}\n`;
    const payload = JSON.stringify(rows).replaceAll('$', '$$$$');
    const broken = html
      .replace('globalThis.__WAKU_HYDRATE__ = true;', '')
      .replace(/(__FLIGHT_DATA\|\|=\[\]\)\.push\()"(?:[^"\\]|\\.)*"/, `$1${payload}`);
    expect(buildId).toBeDefined();
    expect(broken).toContain('3F7K2M9QRT');
    // The policy contains the hashes of the scripts of the page as it was built.
    const headers = response.headers();
    headers['content-security-policy'] = (headers['content-security-policy'] ?? '').replace(
      /'sha256-[^;]+'/,
      "'unsafe-inline'",
    );
    await route.fulfill({ response, headers, body: broken });
  });
  const reported = page.waitForRequest('**/tunnel');
  await page.goto('/lab');
  expect(await readPanelDigest(page)).toBe('3F7K2-M9QRT');
  await expect(page.getByRole('banner')).toHaveCount(0);
  expect((await reported).postData()).toContain('3F7K2M9QRT');
  // The panel's rules were copied from the page that is gone.
  await expect(page.locator('body.flight-error-document')).toHaveCSS('background-color', 'rgb(243, 242, 238)');
  await expect(page).toHaveTitle(/Something went wrong/);
});

test(
  'the same fault twice is two digests and one fingerprint, by document and by navigation',
  { tag: '@daily' },
  async ({ page, request }) => {
    const first = await breakPage(request, '/lab/throw-before-shell');
    const payload = await (await request.get('/RSC/R/lab/throw-before-shell.txt')).text();
    const second = /"digest":"([0-9A-Z]{10})"/.exec(payload)?.[1] ?? '';
    expect(second).not.toBe(first.replace('-', ''));
    const fingerprints: (string | undefined)[] = [];
    for (const digest of [first, second]) {
      await page.goto(`/digest/${digest}`);
      const text = await page.getByRole('region', { name: 'Same fault' }).innerText();
      fingerprints.push(/[0-9a-f]{16}/.exec(text)?.[0]);
    }
    expect(fingerprints[0]).toBeDefined();
    expect(fingerprints[1]).toBe(fingerprints[0]);
  },
);

test('nothing of the cause is in any response', { tag: '@daily' }, async ({ request }) => {
  const names = ['throw-before-shell', 'throw-after-shell', 'throw-string', 'throw-in-ssr', 'throw-in-browser'];
  const paths = [
    '',
    ...names,
    'throw-in-action',
    'page-data?failures=9',
    'missing-data',
    'slow?ms=0',
    'actions',
    'prefetch',
    'streaming',
  ].flatMap((name) => {
    const [path = '', query = ''] = name.split('?');
    const rsc = path === '' ? '/RSC/R/lab.txt' : `/RSC/R/lab/${path}.txt`;
    return [`/lab/${name}`, `${rsc}${query ? `?query=${encodeURIComponent(query)}` : ''}`];
  });
  for (const path of [
    ...paths,
    '/runtime',
    '/nowhere',
    '/RSC/R/nowhere.txt',
    '/RSC/bad',
    '/RSC/F/x/y.txt',
    '/%00',
    '/healthz',
  ]) {
    const response = await request.get(path);
    const text = await response.text();
    expect.soft(text, path).not.toMatch(/canary/);
    expect.soft(text, path).not.toMatch(/dist\/server|node_modules\/|file:\/\/|\n {4}at /);
  }
});
