import { randomBytes } from 'node:crypto';

import { openHydrated } from './testing/open-hydrated.ts';
import { expect, test } from './testing/test.ts';

/**
 * Anyone may report an error, so the texts in a report may be written to be executed. Each text here runs `hit` when it
 * is taken for HTML, an attribute, an address or a script. A policy violation fails the test by itself.
 */
const hit = 'globalThis.hit=1';
const hostile = [
  `<script>${hit}</script>`,
  `<img src=x onerror="${hit}">`,
  `"><svg onload="${hit}">`,
  `'-(${hit})-'`,
  `javascript:${hit}`,
  `</script><script>${hit}</script>`,
  `<!--<script>${hit}//-->`,
  `{{constructor.constructor('${hit}')()}}`,
  '$1:"$L2"\n0:["$","script",null,{}]',
  '\u202Egpj.exe\u0000\u001b[2J',
];

/** One text that contains all of them. The app cuts it where it keeps it. */
function nasty(name: string): string {
  return `${name} ${hostile.join(' ')}`;
}

test(
  'whatever a report holds is shown as text, in every field',
  { tag: '@daily' },
  async ({ page, request, baseURL, browser }) => {
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const digest = Array.from(randomBytes(10), (byte) => alphabet[byte % 32]).join('');
    const id = randomBytes(16).toString('hex');
    const frame = {
      filename: nasty('file.js'),
      function: nasty('fn'),
      module: nasty('module'),
      lineno: 1,
      colno: 2,
      in_app: true,
      context_line: nasty('source'),
    };
    const event = {
      event_id: id,
      level: 'error',
      platform: 'javascript',
      release: nasty('release'),
      environment: nasty('environment'),
      transaction: nasty('transaction'),
      tags: { digest, [nasty('tag')]: nasty('value') },
      request: {
        url: `${baseURL}/${nasty('path')}`,
        headers: { 'User-Agent': nasty('agent'), Referer: nasty('referer') },
      },
      contexts: { react: { componentStack: `\n    at ${nasty('Component')}` }, trace: { trace_id: nasty('trace') } },
      exception: {
        values: [{ type: nasty('Error'), value: nasty('message'), stacktrace: { frames: [frame, frame] } }],
      },
      breadcrumbs: hostile.map((text, index) => ({
        timestamp: Date.now() / 1000 - index,
        type: text,
        category: text,
        level: text,
        message: text,
        data: { [text]: text, url: text, from: text, to: text },
      })),
    };
    const envelope = [JSON.stringify({ event_id: id }), '{"type":"event"}', JSON.stringify(event)].join('\n');
    const posted = await request.post('/tunnel', { data: envelope, headers: { 'content-type': 'text/plain' } });
    expect(posted.status()).toBe(200);

    const shown = `${digest.slice(0, 5)}-${digest.slice(5)}`;
    const foreign: string[] = [];
    page.on('request', (sent) => {
      if (new URL(sent.url()).origin !== baseURL) foreign.push(sent.url());
    });
    page.on('dialog', (dialog) => foreign.push(dialog.message()));
    for (const path of ['/', `/digest/${shown}`, `/digest?code=${encodeURIComponent(nasty('code'))}`, '/runtime']) {
      await openHydrated(page, path);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      const found = await page.evaluate(() => ({
        hit: 'hit' in globalThis,
        // What the browser would open or run when somebody clicks or hovers.
        addresses: [...document.querySelectorAll('a[href], [src], form[action]')]
          .map((element) => element.getAttribute('href') ?? element.getAttribute('src') ?? '')
          .filter((address) => /^\s*(?:javascript|data|vbscript):/i.test(address)),
        handlers: document.querySelectorAll('[onerror], [onload], [onclick]').length,
        // Elements whose direction of writing would also change the text after them.
        turning: [...document.querySelectorAll('main *')]
          .filter((element) =>
            [...element.childNodes].some((node) => node.nodeType === 3 && /\u202e/.test(node.textContent ?? '')),
          )
          .filter((element) => !/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi))
          .map((element) => element.outerHTML.slice(0, 200)),
      }));
      expect(found, path).toEqual({ hit: false, addresses: [], handlers: 0, turning: [] });
    }
    await page.goto(`/digest/${shown}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(`<script>${hit}</script>`);
    expect(foreign).toEqual([]);

    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`/digest/${shown}`);
    await expect(plain.getByRole('heading', { level: 1 })).toContainText(`<script>${hit}</script>`);
    await context.close();
  },
);

test('whatever an opened file holds is shown as text, in lists, rows and comparisons', async ({ page, baseURL }) => {
  const foreign: string[] = [];
  page.on('request', (sent) => {
    if (new URL(sent.url()).origin !== baseURL) foreign.push(sent.url());
  });
  page.on('dialog', (dialog) => foreign.push(dialog.message()));
  const payload = (name: string) =>
    `0:${JSON.stringify(['$', nasty('div'), nasty('key'), { [nasty('prop')]: nasty(name), dangerouslySetInnerHTML: { __html: nasty(name) } }])}\n`;
  const entry = (name: string) => ({
    startedDateTime: nasty('time'),
    time: 1,
    request: { method: nasty('GET'), url: nasty('https://a.example/'), headers: [] },
    response: { status: 200, headers: [], content: { text: payload(name) } },
  });
  const har = JSON.stringify({ log: { entries: [entry('one'), entry('two')] } });
  await openHydrated(page, '/decode');
  await page.getByLabel('A file to decode').setInputFiles([
    { name: nasty('a.har'), mimeType: 'text/html', buffer: Buffer.from(har) },
    { name: nasty('b.html'), mimeType: 'text/html', buffer: Buffer.from(nasty('no flight')) },
  ]);
  await expect(page.getByRole('list', { name: 'Opened files' })).toContainText('<script>');
  await page.getByRole('list', { name: 'Opened files' }).getByRole('link').click();
  await page.getByRole('checkbox').nth(0).check();
  await page.getByRole('checkbox').nth(1).check();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await expect(page.getByRole('list', { name: 'Differences' })).toContainText('<script>');
  await page
    .getByRole('link', { name: /^After/ })
    .first()
    .click();
  await expect(page.getByRole('tab', { name: 'Rows' })).toBeVisible();
  expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
  expect(foreign).toEqual([]);
});
