import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { createHydratedApp } from './testing/hydrated/hydrated-app.ts';
import { startBrowsedApp } from './testing/start-browsed-app.ts';
import { expect, test } from './testing/test.ts';

/** A page whose button breaks, and one of whose scripts is gone. The nonce is another one in each answer. */
function sendPage(outgoing: ServerResponse, policy: string, mark: string): void {
  const nonce = randomBytes(12).toString('base64');
  outgoing.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.replace('NONCE', nonce),
    'content-encoding': 'gzip',
  });
  outgoing.end(
    gzipSync(
      `<!doctype html><html lang="en"><head><title>Shop</title></head><body><button id="pay">Pay</button>` +
        `<script nonce="${nonce}" src="/gone-${mark}.js"></script>` +
        `<script nonce="${nonce}">document.title = 'Ready';` +
        `pay.onclick = () => { throw new TypeError('no cart ${mark}') }</script></body></html>`,
    ),
  );
}

test(
  'a page with a strict policy and a nonce reports what breaks in it, and what it lacked',
  { tag: '@daily' },
  async ({ page, browser, expectConsoleErrors }) => {
    const mark = randomBytes(4).toString('hex');
    const policy = "default-src 'none'; script-src 'nonce-NONCE' 'strict-dynamic'; connect-src 'self'; img-src 'self'";
    await using app = await startBrowsedApp('browsed', ({ url }, outgoing) => {
      if (url === '/cart') sendPage(outgoing, policy, mark);
      else outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
    });
    expectConsoleErrors(/no cart|404/);
    const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
    try {
      const visited = await visitor.newPage();
      const violations: string[] = [];
      visited.on('console', (message) => {
        if (/Content Security Policy/.test(message.text())) violations.push(message.text());
      });
      await visited.goto(`${app.origin}/cart`);
      await expect(visited).toHaveTitle('Ready');
      // The script before the page's own first byte makes no other document of it.
      const read = () => {
        const { compatMode, documentElement: html, head, body } = document;
        return [compatMode, html.lang, html.childElementCount, head.lastElementChild?.localName, body.id];
      };
      expect(await visited.evaluate(read)).toEqual(['CSS1Compat', 'en', 2, 'title', '']);
      const arrived = visited.waitForResponse(`${app.origin}/_fr`);
      await visited.getByRole('button', { name: 'Pay' }).click();
      expect((await arrived).status()).toBe(200);
      expect(violations).toEqual([]);
      expect(app.proxy.errors()).not.toContain('--browser adds nothing');
    } finally {
      await visitor.close();
    }
    await page.goto('/faults?app=browsed');
    await page.getByRole('link', { name: `no cart ${mark}` }).click();
    const report = page.getByRole('region', { name: 'The browser’s error' });
    await expect(report).toContainText('/cart');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await expect(timeline).toContainText(`<script> could not load /gone-${mark}.js`);
    await expect(timeline).toContainText('button[id="pay"]');
  },
);

test('a page whose policy forbids it stays as it is, and that is said once', async ({ browser }) => {
  const policy = "default-src 'none'; script-src 'nonce-NONCE'";
  const html = '<!doctype html><html lang="en"><head><title>Closed</title></head><body><h1>Closed</h1></body></html>';
  await using app = await startBrowsedApp('browsed', (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy, etag: '"1"' }).end(html);
  });
  const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  try {
    const visited = await visitor.newPage();
    const asked: string[] = [];
    visited.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await visited.goto(`${app.origin}/`);
    await visited.goto(`${app.origin}/again`);
    await expect(visited.getByRole('heading')).toHaveText('Closed');
    expect(asked.filter((path) => path.startsWith('/_fr'))).toEqual([]);
  } finally {
    await visitor.close();
  }
  const [direct, through] = await Promise.all([fetch(app.appOrigin), fetch(app.origin)]);
  expect(await through.text()).toBe(await direct.text());
  expect(through.headers.get('etag')).toBe('"1"');
  const said = app.proxy.errors().match(/--browser adds nothing to .*/g);
  expect(said).toEqual(['--browser adds nothing to /: connect-src of its Content-Security-Policy forbids it']);
});

test('a mismatch of hydration is shown with both texts, its place, its component and its likely cause', async ({
  page,
  browser,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/Minified React error #418/);
  await using app = await startBrowsedApp('hydrated', await createHydratedApp());
  const difference = page.getByRole('region', { name: 'What differs' });

  /** @returns what the newest report tells of the page at `path` */
  async function visit(path: string, isScriptLate: boolean): Promise<void> {
    const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
    const visited = await visitor.newPage();
    let release = () => undefined;
    const released = new Promise<void>((resolve) => (release = () => void resolve()));
    await visited.route(isScriptLate ? /\/_fr\/[\da-f]+\.js/ : '**/client.js', async (route) => {
      await released;
      await route.continue();
    });
    const script = isScriptLate
      ? undefined
      : visited.waitForFunction(() => !Array.isArray(Reflect.get(window, '__flightErrors')));
    const arrived = visited.waitForResponse(`${app.origin}/_fr`);
    await visited.goto(app.origin + path, { waitUntil: 'commit' });
    await script;
    if (isScriptLate) await expect(visited.locator('#hours')).toHaveText('Open since 10:41:09');
    release();
    expect((await arrived).status()).toBe(200);
    await visitor.close();
  }

  for (const [path, isScriptLate, where] of [
    ['/', false, /div\[id="root"\].* > p\[id="hours"\]/],
    ['/document', true, /^body[^[]* > main[^[]* > p\[id="hours"\]/],
  ] as const) {
    await visit(path, isScriptLate);
    await page.goto('/faults?app=hydrated');
    // The newest is the first. Each place is a fault of its own.
    await page
      .getByRole('link', { name: /Minified React error #418/ })
      .first()
      .click();
    await expect(difference).toContainText('Open since 10:41:07');
    await expect(difference).toContainText('Open since 10:41:09');
    await expect(difference.locator('dd').nth(2)).toHaveText(where);
    await expect(difference).toContainText('each side reads the clock');
    await expect(page.getByText('Component stack')).toHaveCount(isScriptLate ? 0 : 1);
  }
});

/** Reads an answer as React's client does, and says what React says where it ends before its last row. */
const streamPage = `<!doctype html><html lang="en"><head><title>Streams</title></head><body>
<button data-from="/short">Short</button><button data-from="/broken">Broken</button><script>
for (const button of document.querySelectorAll('button')) button.onclick = async () => {
  const reader = (await fetch(button.dataset.from)).body.getReader();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += new TextDecoder().decode(read.value);
  if (!text.includes('1:')) throw new Error('Connection closed.');
};
document.title = 'Ready';
</script></body></html>`;

test('an answer that ended too early is told apart: the app ended it in order, or broke it off', async ({
  page,
  browser,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/Connection closed|network error|ERR_INCOMPLETE/);
  await using app = await startBrowsedApp('streams', ({ url }, outgoing) => {
    if (url === '/') return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end(streamPage);
    outgoing.writeHead(200, { 'content-type': 'text/x-component' });
    // Its second row is promised and never comes.
    outgoing.write('0:["$","main",null,{"children":"$L1"}]\n', () => {
      if (url === '/short') outgoing.end();
      else outgoing.destroy();
    });
  });
  const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  try {
    const visited = await visitor.newPage();
    await visited.goto(app.origin);
    for (const name of ['Short', 'Broken']) {
      const arrived = visited.waitForResponse(`${app.origin}/_fr`);
      await visited.getByRole('button', { name }).click();
      expect((await arrived).status()).toBe(200);
    }
  } finally {
    await visitor.close();
  }
  for (const [name, ended] of [
    ['Connection closed.', 'The app ended it in order'],
    ['network error', 'The app broke it off'],
  ] as const) {
    const who = page.getByRole('region', { name: 'Who ended it' });
    await expect(async () => {
      await page.goto('/faults?app=streams');
      await page.getByRole('link', { name }).first().click();
      await expect(who).toContainText(ended, { timeout: 5_000 });
    }).toPass();
    await expect(who.getByRole('link', { name: 'See the flight' })).toBeVisible();
  }
});
