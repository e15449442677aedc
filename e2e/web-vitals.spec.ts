import { formatDuration } from '#flight';
import { rateVital } from '#src/flights/vitals/rate-vital.ts';

import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { startBrowsedApp } from './testing/start-browsed-app.ts';
import { expect, test } from './testing/test.ts';

/** Flight as Next.js writes it into a page. */
function push(rows: string): string {
  return `<script>self.__next_f.push([1,${JSON.stringify(rows)}])</script>`;
}

const heroText = 'What the visitor came for, in letters that are larger than all else on this page. '.repeat(3);
/** What comes at once; and what the server waits for, which is the largest and pushes the list down. */
const shell =
  '<!doctype html><html lang="en"><head><title>Shop</title><style>body{margin:0}p{margin:0}#hero{font-size:40px}</style></head>' +
  '<body><div id="late"></div><p id="list">A list</p><button id="buy">Buy</button>' +
  `<script>self.__next_f=[];buy.onclick=()=>{const end=performance.now()+260;while(performance.now()<end);}</script>` +
  push('0:["$","main",null,{"children":"$L7"}]\n');
const hero =
  `${push(`7:["$","p",null,{"id":"hero","children":${JSON.stringify(heroText)}}]\n`)}<p id="hero">${heroText}</p>` +
  `<script>late.append(hero)</script></body></html>`;
const heroAfterMs = 400;

/** What the page's own observers saw. */
type Seen = { readonly lcp: number; readonly cls: number; readonly inp: number; readonly firstByte: number };

function readSeen(): Promise<Seen> {
  /** Entries come in several lists, on a busy machine some of them late. */
  const read = (type: string, isLast: (entry: PerformanceEntry) => boolean, init: object = {}) =>
    new Promise<PerformanceEntry[]>((resolve) => {
      const found: PerformanceEntry[] = [];
      new PerformanceObserver((list) => {
        found.push(...list.getEntries());
        if (found.some(isLast)) resolve(found);
      }).observe({ type, buffered: true, ...init });
    });
  const numberOf = (entry: PerformanceEntry | undefined, name: string) => Number(entry && Reflect.get(entry, name));
  return Promise.all([
    read('largest-contentful-paint', (entry) => Reflect.get(entry, 'id') === 'hero'),
    read('layout-shift', () => true),
    read('event', ({ name }) => name === 'click', { durationThreshold: 16 }),
  ]).then(([paints, shifts, events]) => ({
    lcp: numberOf(paints.at(-1), 'startTime'),
    cls: shifts
      .filter((shift) => Reflect.get(shift, 'hadRecentInput') === false)
      .reduce((sum, shift) => sum + numberOf(shift, 'value'), 0),
    inp: Math.max(...events.filter((event) => numberOf(event, 'interactionId') > 0).map(({ duration }) => duration)),
    firstByte: numberOf(performance.getEntriesByType('navigation')[0], 'responseStart'),
  }));
}

test('how fast a page was is told by its browser, and shown with the row that it waited for, by route and in the API', async ({
  page,
  browser,
  baseURL,
}) => {
  await using app = await startBrowsedApp('fast', ({ url }, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    if (url !== '/shop') return void outgoing.end('<!doctype html><html><head><title>Bye</title></head></html>');
    outgoing.write(shell);
    setTimeout(() => outgoing.end(hero), heroAfterMs);
  });
  const visitor = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const visited = await visitor.newPage();
  const loaded = visited.waitForResponse(/\/_fr\/second-/);
  await visited.goto(`${app.origin}/shop`);
  await (await loaded).finished();
  await visited.getByRole('button', { name: 'Buy' }).click();
  const seen = await visited.evaluate(readSeen);
  // It is told when the page is left, by a beacon, which nobody sees from outside.
  await visited.goto(`${app.origin}/bye`);
  await visitor.close();
  expect(seen.lcp).toBeGreaterThan(heroAfterMs);
  expect(seen.cls).toBeGreaterThan(0);
  expect(seen.inp).toBeGreaterThanOrEqual(260);

  const vitals = page.getByRole('region', { name: 'Web Vitals' });
  await expect(async () => {
    await page.goto('/flights?app=fast&kind=document');
    await page.getByRole('row', { name: '/shop' }).first().getByRole('link').first().click({ timeout: 1_000 });
    await expect(vitals).toBeVisible({ timeout: 1_000 });
  }).toPass();
  const [lcp, inp] = [seen.lcp, seen.inp].map(Math.round);
  await expect(vitals).toContainText(`LCP${formatDuration(lcp ?? 0)} ${rateVital('lcp', lcp ?? 0)}#hero`);
  await expect(vitals).toContainText(`INP${formatDuration(inp ?? 0)} ${rateVital('inp', inp ?? 0)}#buypointer`);
  await expect(vitals).toContainText(`CLS${Math.round(Number(seen.cls.toFixed(4)) * 1_000) / 1_000} `);
  await expect(vitals).toContainText('#list');
  await expect(vitals).toContainText(
    /The largest paint came \d+ ms after the browser’s first byte\. .* is row 7, \d+ ms before: perhaps/,
  );
  expect(await vitals.innerText()).not.toContain('What the visitor came for');
  await vitals.getByRole('link', { name: 'row 7' }).click();
  await expect(page).toHaveURL(/#row=7$/);

  const plain = await openWithoutJavaScript(browser, baseURL);
  await plain.goto(page.url());
  await expect(plain.getByRole('region', { name: 'Web Vitals' })).toContainText('row 7');
  await plain.goto('/flights?app=fast&view=routes');
  const routes = plain.getByRole('table', { name: 'Web Vitals by route' });
  await expect(routes.getByRole('row', { name: '/shop' })).toContainText(
    `${formatDuration(lcp ?? 0)} ${rateVital('lcp', lcp ?? 0)} of 1`,
  );
  await plain.context().close();

  const [flight] = /\d+(?=#)/.exec(page.url()) ?? [];
  const details = await (await page.request.get(`/api/v1/flights/${flight}`)).json();
  expect(details.vitals.lcp).toMatchObject({ ms: lcp, element: '#hero' });
  expect(details.vitals.inp).toMatchObject({ ms: inp, element: '#buy', by: 'pointer' });
  expect(details.vitals.cls.score).toBeCloseTo(seen.cls, 3);
  expect(Math.abs(details.vitals.ttfbMs - seen.firstByte)).toBeLessThan(1);
  const listed = await (await page.request.get('/api/v1/routes?app=fast&kind=document')).json();
  expect(listed.routes).toMatchObject([{ route: '/shop', vitals: { lcp: { p75: lcp, pages: 1 } } }]);
});
