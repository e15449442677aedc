import type { IncomingMessage, ServerResponse } from 'node:http';

import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { startBrowsedApp } from './testing/start-browsed-app.ts';
import { expect, test } from './testing/test.ts';

/** As the id of an action of Next.js is. */
const actionId = '40'.padEnd(42, 'b');

/** What an app of Next.js 16.4 answers in the build that is served: `/list` became heavier in `b`, which lacks what `a` had. */
function answer(build: string, { method, url = '' }: IncomingMessage, outgoing: ServerResponse): void {
  if (method === 'POST') {
    const [status, sign] = build === 'a' ? [200, {}] : [409, { 'x-nextjs-action-not-found': '1' }];
    outgoing.writeHead(status, { 'content-type': build === 'a' ? 'text/x-component' : 'text/plain', ...sign });
    return void outgoing.end(build === 'a' ? '0:{"a":"$@1"}\n1:true\n' : 'Server Action unavailable.');
  }
  if (url === '/chunk-a.js') {
    outgoing.writeHead(404, { 'content-type': 'text/plain' });
    return void outgoing.end('Not Found');
  }
  const text = 'a'.repeat(build === 'b' && url === '/list' ? 9_000 : 2_000);
  const rows = `0:{"P":null,"b":"build-${build}","q":"","i":false,"S":true}\n1:["$","p",null,{"children":"${text}"}]\n`;
  const push = JSON.stringify([1, rows]);
  outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  outgoing.end(`<!doctype html><html lang="en"><head><title>Shop</title></head><body>
<button id="pay">Pay</button><button id="list">Open</button><output></output>
<script>(self.__next_f=self.__next_f||[]).push(${push})</script><script>
pay.onclick = async () => {
  const headers = { 'next-action': '${actionId}', 'content-type': 'text/plain;charset=UTF-8' };
  const { status } = await fetch(location.href, { method: 'POST', headers, body: '[]' });
  document.querySelector('output').textContent = status;
};
list.onclick = () => import('/chunk-a.js');
document.title = 'Ready';
</script></body></html>`);
}

test('after a deploy, a heavier route and what an open tab lost are found from the app’s page', async ({
  page,
  browser,
  baseURL,
  expectConsoleErrors,
}) => {
  expectConsoleErrors(/409|404|dynamically imported module/);
  let build = 'a';
  await using app = await startBrowsedApp('deployed', (incoming, outgoing) => answer(build, incoming, outgoing));
  const load = (agent: string) =>
    fetch(`${app.origin}/list`, { headers: { accept: 'text/html', 'user-agent': agent } }).then((got) => got.text());
  const builds = page.getByRole('table', { name: 'Builds' });
  const heavier = page.getByRole('table', { name: 'Routes' }).getByRole('row', { name: 'heavier' });
  const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  try {
    const tab = await visitor.newPage();
    await tab.goto(`${app.origin}/cart`);
    await tab.getByRole('button', { name: 'Pay' }).click();
    await expect(tab.locator('output')).toHaveText('200');
    for (const agent of ['one', 'two', 'three']) await load(agent);
    build = 'b';
    for (const agent of ['four', 'five', 'six']) await load(agent);
    await tab.getByRole('button', { name: 'Pay' }).click();
    await expect(tab.locator('output')).toHaveText('409');
    await expect(async () => {
      await page.goto('/apps/deployed');
      await page.getByRole('link', { name: /^Builds/ }).click();
      await expect(heavier).toContainText('/list', { timeout: 5_000 });
    }).toPass();
    // By now it is recorded which build is served.
    const arrived = tab.waitForResponse(`${app.origin}/_fr`);
    await tab.getByRole('button', { name: 'Open' }).click();
    expect((await arrived).status()).toBe(200);
  } finally {
    await visitor.close();
  }

  const newFaults = builds.getByRole('row', { name: 'build-b' }).getByRole('cell').last();
  await expect(async () => {
    await page.reload();
    await expect(newFaults).not.toHaveText('0', { timeout: 500 });
  }).toPass();
  await expect(page.getByRole('main')).toContainText('loaded before build-b');

  await newFaults.getByRole('link').click();
  const fault = page.getByRole('link', { name: 'This tab is from build build-a, you serve build build-b' });
  await fault.click();
  const advice = page.getByRole('region', { name: 'What to do' });
  await expect(advice).toContainText('1 lost submission');
  await expect(advice).toContainText('deploymentId');

  // The action, the script, and what the browser said of the script: all of one fault.
  const plain = await openWithoutJavaScript(browser, baseURL);
  await plain.goto('/faults?app=deployed&state=any&side=any');
  await expect(plain.getByRole('link', { name: /OldTab|This tab is from/ })).toHaveCount(1);
  await expect(plain.getByRole('link', { name: /dynamically imported/ })).toHaveCount(0);
  await plain.goto('/flights?app=deployed');
  await plain.getByLabel('Build').fill('build-a');
  await plain.getByRole('button', { name: 'Filter' }).click();
  await expect(plain).toHaveURL(/build=build-a/);
  const rows = plain.getByRole('table').getByRole('row');
  await expect(rows.filter({ hasText: '/list' })).toHaveCount(3);
  await expect(rows.filter({ hasText: '/chunk-a.js' })).toHaveCount(0);
  await plain.getByLabel('Build').fill('build-b');
  await plain.getByRole('button', { name: 'Filter' }).click();
  await expect(rows.filter({ hasText: '/chunk-a.js' })).toHaveCount(1);
  await plain.context().close();
});
