import type { APIRequestContext, Page } from 'playwright/test';

import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

/**
 * Every header of every kind of answer. A new header, a missing one and a looser value all fail here. A part that
 * differs from one answer to the next is replaced by its name.
 */
type Headers = Readonly<Record<string, string>>;

const ofTheConnection = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

const ofAll = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-request-id': '<id>',
};

const dynamic = { ...ofAll, 'cache-control': 'private, no-store' };

const data = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

function createPolicy(scripts: string): string {
  return (
    `script-src 'self' ${scripts}; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; " +
    "frame-ancestors 'none'; form-action 'self'; report-uri /csp-report"
  );
}

const ofDocuments = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': expect.stringMatching(/^(?:[a-z-]+=\(\)(?:, |$)){15,}$/),
};

const ofPage = { ...dynamic, ...ofDocuments, 'content-security-policy': createPolicy("'nonce-<nonce>'") };
const withTrace = { 'server-timing': 'sentry-trace;desc="<trace>"' };
const compressed = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
const staticFile = { ...ofAll, 'accept-ranges': 'none', etag: '<etag>' };
const page = { ...ofPage, ...withTrace, ...compressed };
const prerendered = { ...staticFile, 'cache-control': 'private, no-cache', 'x-flight-page': 'static' };

function normalize(headers: Headers): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      value
        .replace(/^[0-9a-f]{32}$/, '<id>')
        .replace(/'nonce-[0-9a-f]{32}'/, "'nonce-<nonce>'")
        .replace(/'sha256-[\w+/]{43}='(?: 'sha256-[\w+/]{43}=')*/, "'<hashes>'")
        .replace(/"[0-9a-f]{32}-[0-9a-f]{16}"/, '"<trace>"')
        .replace(/^"[\w-]{22}(?:-gzip)?"$/, '<etag>')
        .replace(/^[0-9A-HJKMNP-TV-Z]{10}$/, '<digest>'),
    ]),
  );
}

async function findAsset(request: APIRequestContext): Promise<string> {
  const html = await (await request.get('/lab')).text();
  const path = /href="(\/assets\/index-[\w-]+\.js)"/.exec(html)?.[1];
  if (!path) throw new Error('The page names no script');
  return path;
}

const form = { '$ACTION_ID_0123456789ab#gone': '' };

type Case = {
  readonly name: string;
  readonly path: string | ((request: APIRequestContext) => Promise<string>);
  readonly init?: Parameters<APIRequestContext['fetch']>[1];
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
};

const cases: readonly Case[] = [
  { name: 'a page', path: '/', status: 200, headers: page },
  { name: 'a page that streams', path: '/lab/streaming', status: 200, headers: page },
  { name: 'an address without a page', path: '/nowhere', status: 404, headers: page },
  { name: 'missing data', path: '/lab/missing-data', status: 404, headers: page },
  { name: 'a page that fails', path: '/lab/throw-before-shell', status: 500, headers: page },
  {
    name: 'a prerendered page',
    path: '/lab',
    status: 200,
    headers: {
      ...prerendered,
      ...ofDocuments,
      ...withTrace,
      ...compressed,
      'content-security-policy': createPolicy("'<hashes>'"),
    },
  },
  {
    name: 'a payload',
    path: '/RSC/R/runtime.txt',
    status: 200,
    headers: {
      ...dynamic,
      ...data,
      ...compressed,
      'content-type': 'text/x-component; charset=utf-8',
      'x-flight-page': 'dynamic',
    },
  },
  {
    name: 'a prerendered payload',
    path: '/RSC/R/lab.txt',
    status: 200,
    headers: { ...prerendered, ...data, ...compressed, 'content-type': 'text/x-component; charset=utf-8' },
  },
  {
    name: 'an asset',
    path: findAsset,
    status: 200,
    headers: {
      ...staticFile,
      ...data,
      ...compressed,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    },
  },
  {
    name: 'the icon',
    path: '/favicon.svg',
    status: 200,
    headers: { ...staticFile, ...data, 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' },
  },
  {
    name: 'an asset of another build',
    path: '/assets/gone-abc.js',
    status: 404,
    headers: {
      ...dynamic,
      ...data,
      ...withTrace,
      vary: 'Accept-Encoding',
      'content-type': 'application/json; charset=utf-8',
    },
  },
  {
    name: 'an API route',
    path: '/lab/flaky?failures=0',
    status: 200,
    headers: { ...dynamic, ...data, ...withTrace, vary: 'Accept-Encoding', 'content-type': 'application/json' },
  },
  {
    name: 'health',
    path: '/healthz',
    status: 200,
    headers: {
      ...dynamic,
      ...data,
      ...withTrace,
      vary: 'Accept-Encoding',
      'content-type': 'application/json',
    },
  },
  {
    name: 'a refused action',
    path: '/lab/actions',
    init: { method: 'POST', headers: { 'x-flight-action': '0123456789ab/gone' }, data: '[]' },
    status: 409,
    headers: { ...dynamic, ...data, vary: 'Accept-Encoding', 'content-type': 'application/json; charset=utf-8' },
  },
  {
    name: 'a refused form',
    path: '/lab/actions',
    init: { method: 'POST', multipart: form },
    status: 409,
    headers: { ...ofPage, ...withTrace, vary: 'Accept-Encoding' },
  },
  {
    name: 'a path that cannot be read',
    path: '/RSC/bad',
    status: 400,
    headers: {
      ...dynamic,
      ...data,
      ...withTrace,
      vary: 'Accept-Encoding',
      'content-type': 'application/json; charset=utf-8',
    },
  },
  {
    name: 'a policy report',
    path: '/csp-report',
    init: { method: 'POST', headers: { 'content-type': 'application/reports+json' }, data: '[]' },
    status: 204,
    headers: { ...dynamic, ...data },
  },
];

function testHeaders(list: readonly Case[]): void {
  for (const { name, path, init = {}, status, headers } of list) {
    test(`the headers of ${name}`, { tag: '@daily' }, async ({ request, baseURL }) => {
      const url = typeof path === 'string' ? path : await path(request);
      const response = await request.fetch(url, {
        maxRedirects: 0,
        ...init,
        headers: { 'accept-encoding': 'gzip', origin: baseURL ?? '', ...init.headers },
      });
      expect(response.status()).toBe(status);
      expect(normalize(response.headers())).toEqual(headers);
    });
  }
}

testHeaders(cases);

test.describe('to a visitor without a session', () => {
  test.use({ storageState: { cookies: [], origins: [] } });
  const turnedAway: readonly Case[] = [
    {
      name: 'a page',
      path: '/runtime',
      init: { headers: { accept: 'text/html' } },
      status: 303,
      headers: { ...dynamic, ...data, ...withTrace, location: '/login?next=%2Fruntime', vary: 'Cookie' },
    },
    {
      name: 'a payload',
      path: '/RSC/R/lab.txt',
      status: 401,
      headers: {
        ...dynamic,
        ...data,
        'content-type': 'application/json; charset=utf-8',
        vary: 'Cookie, Accept-Encoding',
        'www-authenticate': 'Cookie realm="operator"',
        'x-flight-page': 'dynamic',
      },
    },
    { name: 'the login page', path: '/login', status: 200, headers: page },
  ];
  testHeaders(turnedAway);
});

test('the headers of an action', async ({ page: tab }) => {
  await openHydrated(tab, '/lab/actions');
  const answered = tab.waitForResponse((response) => response.request().method() === 'POST');
  await tab.getByRole('button', { name: 'Add 40 and 2' }).click();
  const headers = await (await answered).allHeaders();
  expect(normalize(headers)).toMatchObject({
    ...dynamic,
    ...data,
    'content-type': expect.stringContaining('text/'),
  });
});

/** One page for each way in which a page is made. Their scripts, styles and images are all that the app has. */
const pages = ['/', '/lab', '/runtime', '/lab/streaming', '/lab/prefetch', '/nowhere', '/lab/throw-before-shell'];

async function expectNoViolation(tab: Page, path: string): Promise<void> {
  await tab.goto(path);
  const heading = tab.getByRole('heading').first();
  await expect(heading).toBeVisible();
  // When a style was refused, text has the browser's default font.
  expect(await heading.evaluate((element) => getComputedStyle(element).fontFamily)).not.toMatch(/^"?Times/);
}

for (const path of pages) {
  test(`${path} runs within its policy`, async ({ page: tab, expectConsoleErrors }) => {
    expectConsoleErrors(/status of (?:404|500)|Server Components render|Minified React error #441/);
    await expectNoViolation(tab, path);
    await waitUntilHydrated(tab);
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  for (const path of pages) {
    test(`${path} keeps to its policy`, async ({ page: tab, expectConsoleErrors }) => {
      expectConsoleErrors(/status of (?:404|500)/);
      await expectNoViolation(tab, path);
    });
  }
});

test('the parts of a page that stream in are put in their places by scripts that may run', async ({ page: tab }) => {
  await tab.goto('/lab/streaming');
  await expect(tab.getByText('Part 6 after 2400 ms.')).toBeVisible();
  await expect(tab.getByText('Part 6 is on its way.', { exact: true })).toHaveCount(0);
});

test.describe('a script that this server did not write', () => {
  for (const path of ['/', '/lab']) {
    test(`does not run on ${path}`, async ({ browser, baseURL }) => {
      // Its own context: in the test's context the error would fail the test, as it should.
      const context = await browser.newContext(baseURL ? { baseURL } : {});
      const tab = await context.newPage();
      const reported = tab.waitForRequest('**/csp-report');
      await tab.goto(path);
      const broken = await tab.evaluate(async () => {
        const violations: string[] = [];
        const three = new Promise<void>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => {
            violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
            if (violations.length === 3) resolve();
          });
        });
        const script = document.createElement('script');
        script.textContent = 'globalThis.hasRun = true';
        document.body.append(script);
        const image = document.createElement('img');
        image.setAttribute('onerror', 'globalThis.hasRun = true');
        image.src = 'https://evil.example/x.png';
        document.body.append(image);
        await three;
        return { violations: violations.toSorted(), hasRun: 'hasRun' in globalThis };
      });
      expect(broken).toEqual({
        violations: ['img-src https://evil.example/x.png', 'script-src-attr inline', 'script-src-elem inline'],
        hasRun: false,
      });
      // This server takes the report of the script or of the image, whichever the browser sends first.
      expect((await (await reported).response())?.status()).toBe(204);
      await context.close();
    });
  }

  test('fails the test in which it is tried, whatever errors are expected', async ({
    page: tab,
    expectConsoleErrors,
  }) => {
    test.fail();
    expectConsoleErrors(/./);
    await tab.goto('/');
    const said = tab.waitForEvent('console', (message) => /Content Security Policy/.test(message.text()));
    await tab.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.hasRun = true';
      document.body.append(script);
    });
    await said;
  });
});
