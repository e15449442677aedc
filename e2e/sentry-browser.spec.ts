import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import path from 'node:path';

import { build } from 'vite';

import { addApp } from './testing/add-app.ts';
import { readRows } from './testing/read-rows.ts';
import { expect, test } from './testing/test.ts';

/** Somebody else's app, on its own origin: what Sentry's SDK sends from a real browser arrives under the app's public key. */

const entry = `
import * as Sentry from '@sentry/react';
Sentry.init({ dsn: DSN, release: 'shop@7', environment: 'e2e', tracesSampleRate: 1 });
Sentry.setTag('color', 'red');
document.querySelector('#pay').addEventListener('click', () => {
  throw new TypeError('the basket is empty', { cause: new RangeError('no such item') });
});
document.querySelector('#digest').addEventListener('click', () => {
  const error = Object.assign(new Error('An error occurred in the Server Components render.'), { digest: DIGEST });
  console.error(error);
  Sentry.captureReactException(new Error(error.message), { componentStack: '\\n    at Basket (' + location.href + 'app.js:1:2)' });
});
document.querySelector('#feedback').addEventListener('click', () => {
  Sentry.captureFeedback({ message: 'I clicked pay', name: 'Jane', associatedEventId: Sentry.lastEventId() });
});
`;

async function bundle(dsn: string, digest: string): Promise<string> {
  const name = 'virtual:app';
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: import.meta.dirname,
    define: { DSN: JSON.stringify(dsn), DIGEST: JSON.stringify(digest), 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === name ? path.join(import.meta.dirname, 'virtual-app.js') : undefined),
        load: (id) => (id.endsWith('virtual-app.js') ? entry : undefined),
      },
    ],
    build: { write: false, rollupOptions: { input: name } },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first && 'output' in first ? first.output.find(({ type }) => type === 'chunk') : undefined;
  if (!chunk || !('code' in chunk)) throw new Error('nothing was built');
  return chunk.code;
}

async function serveApp(script: string) {
  const server = createServer((request, response) => {
    const isScript = request.url === '/app.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    const buttons = ['pay', 'digest', 'feedback'].map((id) => `<button id="${id}">${id}</button>`).join('');
    response.end(isScript ? script : `<!doctype html>${buttons}<script type="module" src="/app.js"></script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

test(
  '@sentry/react on a page of another origin: errors, a digest and feedback arrive as untrusted',
  { tag: '@daily' },
  async ({ page, expectConsoleErrors }) => {
    expectConsoleErrors(/An error occurred in the Server Components render|the basket is empty|favicon|404/);
    const app = `shop-${randomUUID().slice(0, 8)}`;
    const digest = String(Math.floor(1e9 + Math.random() * 1e9));
    await addApp(app);
    await page.goto(`/apps/${app}`);
    await page.getByText('All ways to set it up').click();
    const set = page.getByRole('region', { name: 'From a Sentry SDK' });
    const dsn = /https?:\/\/[\da-f]{32}@[^\s]+\/\d+/.exec(await set.innerText())?.[0] ?? '';
    expect(dsn).not.toBe('');
    await expect(set.getByRole('button', { name: /Copy the DSN for/ })).toHaveCount(2);
    await using other = await serveApp(await bundle(dsn, digest));

    await page.goto(other.origin);
    const marks = { pay: 'the basket is empty', digest: 'Server Components render', feedback: 'I clicked pay' };
    for (const [name, mark] of Object.entries(marks)) {
      const answered = page.waitForResponse(
        (response) => response.url().includes('/envelope/') && (response.request().postData() ?? '').includes(mark),
      );
      await page.getByRole('button', { name }).click();
      expect((await answered).status()).toBe(200);
    }
    const reports = await readRows(`select * from event where side = 'browser' and app = ? order by received_at`, app);
    expect(reports).toMatchObject([
      {
        name: 'TypeError',
        message: 'the basket is empty',
        release: 'shop@7',
        environment: 'e2e',
        digest: null,
        sdk: expect.stringMatching(/^sentry\.javascript\.react\/11\./),
        path: '/',
        user_agent: expect.stringContaining('Chrome'),
      },
      {
        message: 'An error occurred in the Server Components render.',
        digest,
        component_stack: expect.stringContaining('at Basket'),
      },
    ]);
    expect(JSON.parse(String(reports[0]?.['causes_json']))).toMatchObject([
      { name: 'RangeError', message: 'no such item' },
    ]);
    expect(JSON.parse(String(reports[0]?.['breadcrumbs_json']))).toEqual(
      expect.arrayContaining([expect.objectContaining({ category: 'ui.click' })]),
    );
    expect(await readRows(`select id from event where side = 'server' and app = ?`, app)).toEqual([]);
    expect(await readRows('select name, message, fault from feedback where app = ?', app)).toEqual([
      { name: 'Jane', message: 'I clicked pay', fault: reports[1]?.['fault'] },
    ]);

    await page.goto(`/digest?code=${digest}`);
    await expect(page).toHaveURL(new RegExp(`/digest/${digest}`));
    await page.goto('/not-kept');
    await expect(page.getByRole('table', { name: app })).toContainText('not_kept');
  },
);
