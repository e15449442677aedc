import { createHash, randomUUID } from 'node:crypto';

import type { Page, Request } from 'playwright/test';

import { openHydrated, waitUntilHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';
import { waitUntilRead } from './testing/wait-until-read.ts';

const digestPattern = /([0-9A-Z]{5}-[0-9A-Z]{5})/;
const file = {
  name: 'notes.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('forty-two bytes of nothing in particular!!'),
};

const tooLong = 'a nickname of more than twenty letters';

function freshPath(): string {
  return `/lab/actions?key=${randomUUID()}`;
}

function recordPosts(page: Page): Request[] {
  const posts: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request);
  });
  return posts;
}

function toPath(request: Request): string {
  const { pathname, search } = new URL(request.url());
  return pathname + search;
}

/** Sends what an old page would send: an id that this build does not have. The server is the real one. */
async function pretendOldPage(page: Page): Promise<void> {
  await page.route('**/lab/actions*', async (route, request) => {
    const headers = await request.allHeaders();
    if (request.method() !== 'POST') return route.continue();
    return route.continue({ headers: { ...headers, 'x-flight-action': '0123456789ab/goneAction' } });
  });
}

test.describe('with JavaScript', () => {
  test('a call posts to the page’s URL and returns its value', { tag: '@daily' }, async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    const posts = recordPosts(page);
    await page.getByRole('button', { name: 'Add 40 and 2' }).click();
    await expect(page.getByTestId('sum')).toHaveText('42');
    expect(posts.map(toPath)).toEqual([path]);
    expect(await posts[0]?.headerValue('x-flight-action')).toMatch(/^[0-9a-f]{12}\/addNumbers$/);
  });

  test('the URL is the one at the moment of the call, also after a navigation', { tag: '@daily' }, async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    await page.getByRole('link', { name: 'leave the page' }).click();
    await page.getByRole('link', { name: 'Back to the actions' }).click();
    await expect(page).toHaveURL(path);
    await page.evaluate(() => history.replaceState(history.state, '', `${location.href}&sort=asc`));
    const posts = recordPosts(page);
    await page.getByRole('button', { name: 'Add 40 and 2' }).click();
    await expect(page.getByTestId('sum')).toHaveText('42');
    expect(posts.map(toPath)).toEqual([`${path}&sort=asc`]);
  });

  test('a form keeps its state from answer to answer', async ({ page }) => {
    await openHydrated(page, freshPath());
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: A nickname has at least one letter.');
    await page.getByLabel('Nickname', { exact: true }).getByRole('textbox').fill('Ada');
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 2: hello, Ada.');
    await expect(page.getByRole('textbox')).toHaveValue('');
  });

  test('a file arrives whole', async ({ page }) => {
    await openHydrated(page, freshPath());
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Measure' }).click();
    const sha256 = createHash('sha256').update(file.buffer).digest('hex');
    await expect(page.getByTestId('file')).toHaveText(`notes.txt: 42 bytes, SHA-256 ${sha256}`);
  });

  test('bound arguments arrive, and the same response brings the page up to date', async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    const requests: string[] = [];
    page.on('request', (request) => {
      // Links of the page are prefetched at any time.
      if (request.resourceType() !== 'fetch' || 'x-flight-prefetch' in request.headers()) return;
      requests.push(`${request.method()} ${toPath(request)}`);
    });
    await page.getByRole('button', { name: 'Raise by 5' }).click();
    await expect(page.getByTestId('counter')).toHaveText('5');
    expect(requests).toEqual([`POST ${path}`]);
  });

  test('a closure keeps its value, which the browser cannot read', async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    expect(await page.content()).not.toContain('closure-canary');
    await page.getByRole('button', { name: 'Raise by 10' }).click();
    await expect(page.getByTestId('counter')).toHaveText('10');
    await expect(page.getByTestId('raised-by')).toHaveText(`closure-canary-${path.split('=')[1]}`);
  });

  test('a redirect is a navigation of the router', async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    await page.evaluate(() => document.documentElement.setAttribute('data-same-document', ''));
    await page.getByRole('button', { name: 'Go to the other page' }).click();
    await expect(page).toHaveURL(path.replace('actions', 'actions/done'));
    await expect(page.getByRole('heading', { name: 'The other page' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-same-document', '');
  });

  test('three calls are on the server at the same time', async ({ page }) => {
    await openHydrated(page, freshPath());
    await page.getByRole('button', { name: 'Call three at once' }).click();
    await expect(page.getByTestId('together')).toHaveText('3, 3, 3');
  });

  test('a navigation does not cancel an action', { tag: '@daily' }, async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    const arrived = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await page.route('**/lab/actions?*', async (route, request) => {
      if (request.method() === 'POST') {
        arrived.resolve();
        await left.promise;
      }
      await route.continue();
    });
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Add 40 and 2' }).click();
    await arrived.promise;
    await page.getByRole('link', { name: 'leave the page' }).click();
    await expect(page.getByRole('heading', { name: 'The other page' })).toBeVisible();
    left.resolve();
    expect((await answered).status()).toBe(200);
    await waitUntilRead(page, path);
  });

  test('an action that is running counts after its page was left', async ({ page, request }) => {
    const path = freshPath();
    await openHydrated(page, path);
    const posted = page.waitForRequest((sent) => sent.method() === 'POST');
    await page.getByRole('button', { name: 'Raise slowly' }).click();
    await posted;
    await page.goto('/');
    await expect
      .poll(async () => (await request.get(path)).text())
      .toContain('<output data-testid="counter">1</output>');
  });

  test('a slow action says that it is running, then brings its page up to date', async ({ page }) => {
    await openHydrated(page, freshPath());
    const button = page.getByRole('button', { name: 'Raise slowly' });
    await button.click();
    await expect(button).toHaveAttribute('aria-busy', 'true');
    await expect(page.getByTestId('counter')).toHaveText('1');
    await expect(button).not.toHaveAttribute('aria-busy');
  });

  test('a slow action leaves the page alone that its visitor went on to', async ({ page }) => {
    const path = freshPath();
    await openHydrated(page, path);
    await page.getByRole('button', { name: 'Raise slowly' }).click();
    await page.getByRole('link', { name: 'leave the page' }).click();
    await waitUntilRead(page, path);
    await expect(page.getByRole('heading', { name: 'The other page' })).toBeVisible();
    await page.getByRole('link', { name: 'Back to the actions' }).click();
    await expect(page.getByTestId('counter')).toHaveText('1');
  });

  test('a refused nickname stays for correction', async ({ page }) => {
    await openHydrated(page, freshPath());
    await page.getByRole('textbox').fill(tooLong);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: A nickname has at most 20 letters.');
    await expect(page.getByRole('textbox')).toHaveValue(tooLong);
  });

  test('measuring nothing asks for a file', async ({ page }) => {
    await openHydrated(page, freshPath());
    await page.getByRole('button', { name: 'Measure' }).click();
    await expect(page.getByTestId('file')).toHaveText('Choose a file first.');
  });

  test('calls that find no connection say so', async ({ page, context, expectConsoleErrors }) => {
    expectConsoleErrors(/ERR_INTERNET_DISCONNECTED/);
    await openHydrated(page, freshPath());
    // The first key or click loads the error reporting, which could not be loaded offline.
    const loaded = page.waitForEvent('requestfinished');
    await page.keyboard.press('Shift');
    await loaded;
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Call three at once' }).click();
    await expect(page.getByTestId('together')).toHaveText('not carried out (unreachable)');
  });

  test('a thrown action shows its digest in the layout', { tag: '@daily' }, async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 500|The server action failed/);
    // Another journey tests what happens to the browser's error.
    await page.route('**/tunnel', (route) => route.fulfill({ status: 200 }));
    await openHydrated(page, '/lab/throw-in-action');
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Throw' }).click();
    const response = await answered;
    expect(response.status()).toBe(500);
    const digest = response.headers()['x-flight-digest'] ?? 'none';
    await expect(page.getByRole('alert')).toContainText(`${digest.slice(0, 5)}-${digest.slice(5)}`);
    await expect(page.getByRole('alert')).toContainText('server-side');
  });
});

test.describe('refused, with JavaScript', () => {
  test(
    'an old page’s form says so, keeps what was typed, and reloads',
    { tag: '@daily' },
    async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 409/);
      await openHydrated(page, freshPath());
      await pretendOldPage(page);
      await page.getByRole('textbox').fill('typed with care');
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Save nickname' }).click();
      expect((await answered).status()).toBe(409);
      await expect(page.getByRole('alert')).toContainText('This page is from an older version of the site.');
      await expect(page.getByRole('textbox')).toHaveValue('typed with care');
      await expect(page.getByTestId('nickname')).toHaveText('No attempt yet.');
      await expect(page.getByRole('button', { name: 'Save nickname' })).toBeEnabled();

      await page.unrouteAll();
      const reloaded = page.waitForResponse((response) => response.request().resourceType() === 'document');
      await page.getByRole('button', { name: 'Reload' }).click();
      expect((await reloaded).request().method()).toBe('GET');
      await expect(page.getByRole('alert')).toHaveCount(0);
    },
  );

  test('an old page’s form without state keeps its page too', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 409/);
    await openHydrated(page, freshPath());
    await pretendOldPage(page);
    await page.getByRole('button', { name: 'Raise by 5' }).click();
    await expect(page.getByRole('alert')).toContainText('older version');
    await expect(page.getByRole('heading', { name: 'Server actions' })).toBeVisible();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('an old page’s call rejects with a reason', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 409/);
    await openHydrated(page, freshPath());
    await pretendOldPage(page);
    await page.getByRole('button', { name: 'Add 40 and 2' }).click();
    await expect(page.getByTestId('sum')).toHaveText('not carried out (unknown-action)');
    await expect(page.getByRole('alert')).toContainText('older version');
  });

  test('a file that is too large keeps the form', async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/status of 413/);
    await openHydrated(page, freshPath());
    await page.getByRole('textbox').fill('typed with care');
    await page.getByLabel('File').setInputFiles({ ...file, buffer: Buffer.alloc(3 * 1024 * 1024) });
    await page.getByRole('button', { name: 'Measure' }).click();
    await expect(page.getByRole('alert')).toContainText('1 MiB can be sent');
    await expect(page.getByRole('textbox')).toHaveValue('typed with care');
    await expect(page.getByTestId('file')).toHaveText('No file yet.');
  });

  test(
    'offline keeps the form, says so, and sends nothing later by itself',
    { tag: '@daily' },
    async ({ page, context, expectConsoleErrors }) => {
      expectConsoleErrors(/ERR_INTERNET_DISCONNECTED/);
      await openHydrated(page, freshPath());
      // The first key or click loads the error reporting, which could not be loaded offline.
      const loaded = page.waitForEvent('requestfinished');
      await page.keyboard.press('Shift');
      await loaded;
      await context.setOffline(true);
      await page.getByRole('textbox').fill('typed with care');
      await page.getByRole('button', { name: 'Save nickname' }).click();
      await expect(page.getByRole('alert')).toContainText('You are offline.');
      await expect(page.getByRole('textbox')).toHaveValue('typed with care');

      await context.setOffline(false);
      const posts = recordPosts(page);
      await page.getByRole('button', { name: 'Save nickname' }).click();
      await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: hello, typed with care.');
      expect(posts).toHaveLength(1);
      await expect(page.getByRole('alert')).toHaveCount(0);
    },
  );
});

test('the state of a form that was submitted before hydration survives it', async ({ page }) => {
  const scripts = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async (route) => {
    await scripts.promise;
    await route.continue();
  });
  const path = freshPath();
  await page.goto(path, { waitUntil: 'commit' });
  await page.getByRole('textbox').fill('Grace </script>');
  const posts = recordPosts(page);
  await page.getByRole('button', { name: 'Save nickname' }).click({ noWaitAfter: true });
  await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: hello, Grace </script>.');
  expect(posts.map((post) => post.resourceType())).toEqual(['document']);

  scripts.resolve();
  await waitUntilHydrated(page);
  await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: hello, Grace </script>.');
  await page.getByRole('textbox').fill('Grace');
  await page.getByRole('button', { name: 'Save nickname' }).click();
  await expect(page.getByTestId('nickname')).toHaveText('Attempt 2: hello, Grace.');
  expect(posts.map((post) => post.resourceType())).toEqual(['document', 'fetch']);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a form posts to the page’s URL and keeps its state', { tag: '@daily' }, async ({ page }) => {
    const path = freshPath();
    await page.goto(path);
    const posts = recordPosts(page);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: A nickname has at least one letter.');
    await page.getByRole('textbox').fill('Ada');
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 2: hello, Ada.');
    expect(posts.map(toPath)).toEqual([path, path]);
  });

  test('a file arrives whole', async ({ page }) => {
    await page.goto(freshPath());
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Measure' }).click();
    const sha256 = createHash('sha256').update(file.buffer).digest('hex');
    await expect(page.getByTestId('file')).toHaveText(`notes.txt: 42 bytes, SHA-256 ${sha256}`);
  });

  test('bound arguments and closures arrive, and the page that comes back is up to date', async ({ page }) => {
    const path = freshPath();
    await page.goto(path);
    await page.getByRole('button', { name: 'Raise by 5' }).click();
    await expect(page.getByTestId('counter')).toHaveText('5');
    await page.getByRole('button', { name: 'Raise by 10' }).click();
    await expect(page.getByTestId('counter')).toHaveText('15');
    await expect(page.getByTestId('raised-by')).toHaveText(`closure-canary-${path.split('=')[1]}`);
  });

  test('a slow action answers with its page', async ({ page }) => {
    const path = freshPath();
    await page.goto(path);
    await page.getByRole('button', { name: 'Raise slowly' }).click();
    await page.goto(path);
    await expect(page.getByTestId('counter')).toHaveText('1');
  });

  test('a refused nickname stays for correction', async ({ page }) => {
    await page.goto(freshPath());
    await page.getByRole('textbox').fill(tooLong);
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await expect(page.getByTestId('nickname')).toHaveText('Attempt 1: A nickname has at most 20 letters.');
    await expect(page.getByRole('textbox')).toHaveValue(tooLong);
  });

  test('measuring nothing asks for a file, and buttons that need JavaScript say so', async ({ page }) => {
    await page.goto(freshPath());
    expect((await page.getByRole('main').innerText()).match(/This button needs JavaScript\./g)).toHaveLength(2);
    await page.getByRole('button', { name: 'Measure' }).click();
    await expect(page.getByTestId('file')).toHaveText('Choose a file first.');
  });

  test('a redirect is a 303', async ({ page }) => {
    const path = freshPath();
    await page.goto(path);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Go to the other page' }).click();
    expect((await answered).status()).toBe(303);
    await expect(page).toHaveURL(path.replace('actions', 'actions/done'));
  });

  test(
    'a thrown action is a complete page with status 500 and the digest',
    { tag: '@daily' },
    async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 500/);
      await page.goto('/lab/throw-in-action');
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Throw' }).click();
      const response = await answered;
      expect(response.status()).toBe(500);
      const html = await response.text();
      expect(html).not.toContain('canary-in-action');
      const digest = digestPattern.exec(html)?.[1] ?? 'none';
      await expect(page.getByRole('alert')).toContainText(digest);
      await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
    },
  );

  test(
    'a file that is too large is a readable 413, and the way back keeps what was typed',
    { tag: '@daily' },
    async ({ page, expectConsoleErrors }) => {
      expectConsoleErrors(/status of 413/);
      const path = freshPath();
      await page.goto(path);
      await page.getByRole('textbox').fill('typed with care');
      await page.getByLabel('File').setInputFiles({ ...file, buffer: Buffer.alloc(3 * 1024 * 1024) });
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Measure' }).click();
      expect((await answered).status()).toBe(413);
      await expect(page.getByRole('alert')).toContainText('1 MiB can be sent');
      await page.goBack();
      await expect(page.getByRole('textbox')).toHaveValue('typed with care');
    },
  );
});

test.describe('refused, whoever asks', () => {
  const unknownId = '0123456789ab/goneAction';

  async function readIds(text: string): Promise<{ header: string; reference: string }> {
    const reference = /\{&quot;id&quot;:&quot;([0-9a-f]+#raiseCounter)&quot;/.exec(text)?.[1] ?? 'none';
    return { reference, header: reference.replace('#', '/') };
  }

  test('by status, each as one error of the same shape', { tag: '@daily' }, async ({ request, baseURL }) => {
    const path = freshPath();
    const { header } = await readIds(await (await request.get(path)).text());
    const origin = baseURL ?? '';
    const own = { origin, 'x-flight-action': header, 'content-type': 'text/plain;charset=UTF-8' };
    const cases = [
      ['wrong-origin', 403, 'POST', path, { ...own, origin: 'https://evil.example' }, '[]'],
      ['wrong-origin', 403, 'POST', path, { ...own, origin: 'null' }, '[]'],
      ['wrong-origin', 403, 'POST', path, { ...own, 'sec-fetch-site': 'cross-site' }, '[]'],
      ['wrong-origin', 403, 'POST', path, { ...own, 'sec-fetch-site': 'same-site' }, '[]'],
      ['wrong-origin', 403, 'POST', path, { 'x-flight-action': header }, '[]'],
      ['wrong-method', 405, 'PUT', path, own, '[]'],
      ['wrong-method', 405, 'POST', '/RSC/R/lab/actions.txt', own, '[]'],
      ['not-public', 404, 'POST', `/RSC/F/${header}.txt`, own, '[]'],
      ['not-public', 404, 'POST', `/RSC/_F/${header}.txt`, own, '[]'],
      ['unknown-action', 409, 'POST', path, { ...own, 'x-flight-action': unknownId }, '[]'],
      ['unknown-action', 409, 'POST', path, { ...own, 'x-flight-action': 'toString/call' }, '[]'],
      ['unknown-action', 409, 'POST', path, { ...own, 'x-flight-action': '__proto__/toString' }, '[]'],
      ['unknown-action', 409, 'POST', path, { ...own, 'x-flight-action': header.replace(/\w+$/, 'toString') }, '[]'],
      ['wrong-method', 405, 'PUT', path, {}, undefined],
      ['wrong-method', 405, 'DELETE', '/', {}, undefined],
      ['wrong-method', 405, 'PATCH', '/lab/throw-before-shell', {}, '{}'],
      ['wrong-method', 405, 'OPTIONS', '/lab/throw-before-shell', {}, undefined],
      ['wrong-method', 405, 'PUT', '/no-such-page', {}, undefined],
      ['unsupported-type', 415, 'POST', '/lab/throw-before-shell', { origin }, undefined],
      ['unsupported-type', 415, 'POST', path, { origin, 'content-type': 'text/plain' }, 'x'],
      ['unsupported-type', 415, 'POST', path, { origin, 'content-type': 'application/json' }, '{}'],
      ['malformed-action', 400, 'POST', path, { ...own, 'x-flight-action': '../../etc/passwd' }, '[]'],
      ['malformed-action', 400, 'POST', path, { ...own, 'x-flight-action': 'x' }, '[]'],
      ['malformed-request', 400, 'POST', path, own, '{"not":'],
      ['malformed-request', 400, 'POST', path, own, ''],
      ['malformed-request', 400, 'POST', path, { ...own, 'content-type': 'multipart/form-data; boundary=x' }, 'junk'],
      ['malformed-request', 400, 'GET', '/RSC/not-a-payload', {}, undefined],
      ['too-large', 413, 'POST', path, own, JSON.stringify(['x'.repeat(1024 * 1024)])],
    ] as const;
    for (const [code, status, method, url, headers, data] of cases) {
      const response = await request.fetch(url, { method, headers, ...(data === undefined ? {} : { data }) });
      const seen = `${method} ${url} ${JSON.stringify(headers)}`;
      expect(response.status(), seen).toBe(status);
      expect(await response.json(), seen).toEqual({ error: { code, message: expect.stringMatching(/\.$/) } });
    }
    const html = await (await request.get(path)).text();
    expect(html).toContain('<output data-testid="counter">0</output>');
  });

  test('a page says which methods it takes, and a plain HTML form gets a page', async ({ request }) => {
    const put = await request.put('/lab/throw-before-shell');
    expect(put.status()).toBe(405);
    expect(put.headers()['allow']).toBe('GET, HEAD, POST');
    expect(put.headers()).not.toHaveProperty('x-flight-digest');
    const form = await request.post('/lab/throw-before-shell', { form: { note: 'hello' } });
    expect(form.status()).toBe(415);
    expect(form.headers()['accept-post']).toBe('multipart/form-data');
    expect(await form.text()).toContain('<h1>That was not sent</h1>');
    expect((await request.head('/')).status()).toBe(200);
  });

  test('a form is run however its Content-Type is spelled', async ({ request, baseURL }) => {
    const path = freshPath();
    const { reference } = await readIds(await (await request.get(path)).text());
    const field = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const key = JSON.stringify(path.split('=')[1]);
    const response = await request.post(path, {
      headers: { origin: baseURL ?? '', 'content-type': 'Multipart/Form-Data; Boundary="x"' },
      data: `${field('$ACTION_REF_1', '')}${field('$ACTION_1:0', `{"id":"${reference}","bound":"$@1"}`)}${field('$ACTION_1:1', `[${key},3]`)}--x--\r\n`,
    });
    expect(response.status()).toBe(200);
    expect(await response.text()).toContain('<output data-testid="counter">3</output>');
  });

  test('a name inside the arguments is looked up among the actions alone', async ({ request, baseURL }) => {
    const path = freshPath();
    const { header } = await readIds(await (await request.get(path)).text());
    const body =
      '--x\r\ncontent-disposition: form-data; name="1"\r\n\r\n{"id":"toString#length","bound":null}\r\n--x\r\ncontent-disposition: form-data; name="0"\r\n\r\n["$h1",5]\r\n--x--\r\n';
    const response = await request.post(path, {
      headers: {
        origin: baseURL ?? '',
        'x-flight-action': header,
        'content-type': 'multipart/form-data; boundary=x',
      },
      data: body,
    });
    expect(response.status()).toBe(400);
  });

  test('a thrown action is a 500 with a digest, and nothing of the error', async ({ request, baseURL }) => {
    const html = await (await request.get('/lab/throw-in-action')).text();
    const id = /ACTION_ID_([0-9a-f]+)#throwOnPurpose/.exec(html)?.[1] ?? 'none';
    const response = await request.post('/lab/throw-in-action', {
      headers: { origin: baseURL ?? '', 'x-flight-action': `${id}/throwOnPurpose` },
      data: '[]',
    });
    expect(response.status()).toBe(500);
    expect(response.headers()['x-flight-digest']).toMatch(/^[0-9A-Z]{10}$/);
    expect(await response.text()).not.toMatch(/canary|throw-on-purpose|at /);
  });

  test('forms by status, each as a readable page', { tag: '@daily' }, async ({ request, baseURL }) => {
    const path = freshPath();
    const { reference } = await readIds(await (await request.get(path)).text());
    const origin = baseURL ?? '';
    const named = { [`$ACTION_ID_${reference}`]: '' };
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`field-${index}`, '']));
    const bound = { $ACTION_REF_1: '', '$ACTION_1:0': `{"id":"${reference}","bound":"$@1"}` };
    const cases = [
      [403, { origin: 'https://evil.example' }, named],
      [403, { origin: 'null' }, named],
      [403, {}, named],
      [400, { origin }, { nothing: 'here' }],
      [400, { origin }, { ...named, '$ACTION_ID_a#b': '', '$ACTION_ID_c#d': '' }],
      [400, { origin }, { '$ACTION_ID_../x': '' }],
      [400, { origin }, { ...bound, '$ACTION_1:0': 'not JSON' }],
      [400, { origin }, { ...bound, '$ACTION_1:1': 'not JSON' }],
      [409, { origin }, { [`$ACTION_ID_${unknownId.replace('/', '#')}`]: '' }],
      [409, { origin }, { ...bound, '$ACTION_1:0': '{"id":"toString#length","bound":null}' }],
      [413, { origin }, { ...named, ...many }],
      [413, { origin }, { ...named, much: 'x'.repeat(1024 * 1024) }],
    ] as const;
    for (const [status, headers, multipart] of cases) {
      const response = await request.post(path, { headers, multipart });
      const seen = JSON.stringify([headers, Object.keys(multipart).slice(0, 3)]);
      expect(response.status(), seen).toBe(status);
      const html = await response.text();
      expect(html, seen).toMatch(/^<!DOCTYPE html>[^]*<h1>That was not sent<\/h1>[^]*<a href="">[^]*<\/html>\s*$/);
    }
    expect(await (await request.get(path)).text()).toContain('<output data-testid="counter">0</output>');
  });
});
