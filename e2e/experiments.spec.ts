import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import type { APIRequestContext } from 'playwright/test';

import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

/** Every file that is an experiment. The lab must show each of them, and no other. */
const folder = path.resolve('src/lab');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.tsx'))
  .filter((file) => readFileSync(path.join(folder, file), 'utf8').includes(' * Look for:'))
  .map((file) => file.replace('.tsx', ''));

/** Their pages end in an error page, or in the 404 page. */
const failing = new Set(
  names.filter((name) => readFileSync(path.join(folder, `${name}.tsx`), 'utf8').includes('export const fails = true')),
);

function titleOf(name: string): string {
  return (
    readFileSync(path.join(folder, `${name}.tsx`), 'utf8')
      .split('\n')[1]
      ?.replace(' * ', '') ?? ''
  );
}

test('the lab lists every experiment with a file, and no other', async ({ page }) => {
  expect(names.length).toBeGreaterThan(20);
  await page.goto('/lab');
  const listed = page.getByRole('main').getByRole('heading', { level: 3 });
  expect((await listed.allInnerTexts()).toSorted()).toEqual(names.map(titleOf).toSorted());
});

for (const name of names) {
  test(`${name}: its page opens, and its source and its flight are there`, async ({ page, expectConsoleErrors }) => {
    if (failing.has(name)) {
      expectConsoleErrors(/status of (404|500)|Server Components render|Minified React error #\d+|canary/);
    }
    await openHydrated(page, `/lab/${name}`);
    if (!failing.has(name)) {
      await expect(page.getByRole('heading', { level: 1, name: titleOf(name), exact: true })).toBeVisible();
      await expect(page.getByRole('main')).toContainText('Look for');
      await expect(page.getByText('What was sent, here')).toBeVisible();
      await page.getByRole('link', { name: 'Its source, payload and result' }).click();
    } else await page.goto(`/lab/about/${name}`);
    await expect(page).toHaveURL(`/lab/about/${name}`);
    await expect(page.getByRole('heading', { level: 1, name: titleOf(name), exact: true })).toBeVisible();
    await expect(page.getByRole('figure', { name: `Source of src/lab/${name}.tsx` })).toContainText('export default');
    await expect(page.getByRole('main')).toContainText('Look for');
    await expect(page.getByRole('list', { name: 'Rows of the payload' }).getByRole('listitem').first()).toBeVisible();
    const flight = page.getByRole('main').getByRole('link', { name: new RegExp(`^GET /lab/${name}(?:\\?|$)`) });
    // It is written when its response is over.
    await expect(async () => {
      await page.reload();
      await expect(flight.first()).toBeVisible({ timeout: 1_000 });
    }).toPass();
    const payload = page.getByRole('tab', { name: 'Waterfall' });
    await expect(payload.or(page.getByRole('heading', { name: 'There is no payload' }))).toBeVisible();
  });
}

test('the flight is shown beside the experiment when it is asked for, and in the next one too', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await openHydrated(page, '/lab/binary-prop');
  expect(asked.filter((address) => /\/flight$|\/payload$/.test(address))).toEqual([]);
  await page.getByText('What was sent, here').click();
  await page.getByRole('tab', { name: 'Tree' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('samples');
  expect(asked.filter((address) => address.endsWith('/flight'))).toEqual(['/lab/about/binary-prop/flight']);

  await page.getByRole('link', { name: 'numbers' }).click();
  await expect(page).toHaveURL(/as=numbers/);
  await expect(page.getByRole('region', { name: /^GET \/lab\/binary-prop\?as/ })).toBeVisible();
  await page.goto('/lab/prerendered');
  // It knows no request, and shows its newest flight: the first one is written a moment after the page is there.
  const prerendered = page.getByRole('region', { name: /^GET \/lab\/prerendered/ });
  const again = page.getByRole('button', { name: 'Look again' });
  await expect(async () => {
    await expect(prerendered.or(again)).toBeVisible({ timeout: 5_000 });
    if (await again.isVisible()) await again.click();
    await expect(prerendered).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await page.getByText('What was sent, here').click();
  await page.goto('/lab/props');
  await expect(page.getByText('What was sent, here')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Tree' })).toHaveCount(0);
});

test(
  'without JavaScript, links lead to the source and to the rows',
  { tag: '@daily' },
  async ({ browser, baseURL }) => {
    const page = await openWithoutJavaScript(browser, baseURL);
    await (await page.goto('/lab/props'))?.finished();
    await page.getByRole('link', { name: 'Its source, payload and result' }).click();
    await expect(page.getByRole('figure', { name: 'Source of src/lab/props.tsx' })).toBeVisible();
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole('table', { name: 'Rows' })).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await page.context().close();
  },
);

test('what an experiment does not know is not found', async ({ request }) => {
  for (const address of ['/lab/about/neither', '/lab/about/neither/flight', '/lab/about/slow/flight?of=x']) {
    expect((await request.get(address)).status(), address).toBe(404);
  }
  const none = await request.get(`/lab/about/slow/flight?of=${'0'.repeat(32)}`);
  expect(await none.json()).toBeNull();
});

/** What a navigation to it sends. */
async function readFlight(request: APIRequestContext, name: string, query = ''): Promise<Buffer> {
  const asked = query ? `?query=${encodeURIComponent(query)}` : '';
  return (await request.get(`/RSC/R/lab/${name}.txt${asked}`)).body();
}

/** What it sends without its page. */
async function readAlone(request: APIRequestContext, name: string, query = ''): Promise<Buffer> {
  return (await request.get(`/lab/about/${name}/alone${query}`)).body();
}

function countOf(flight: Buffer, text: string): number {
  return flight.toString('latin1').split(text).length - 1;
}

test.describe('what the experiments tell people to look for is in their flights', () => {
  test('props', async ({ request }) => {
    const [used, all, elements] = await Promise.all(
      ['', 'give=all', 'give=elements'].map((query) => readFlight(request, 'props', query)),
    );
    if (!used || !all || !elements) throw new Error('One of them is missing');
    expect([used, all, elements].map((flight) => countOf(flight, 'made of brass'))).toEqual([0, 40, 0]);
    expect(all.length).toBeGreaterThan(2 * used.length);
    expect(elements.length).toBeGreaterThan(used.length);
    const alone = await Promise.all(
      ['', '?give=all', '?give=elements'].map((query) => readAlone(request, 'props', query)),
    );
    expect(alone.map(({ length }) => (length / 1000).toFixed(1))).toEqual(['1.8', '9.4', '3.0']);
  });

  test('a promise as a prop', async ({ request }) => {
    const given = (await readFlight(request, 'promise-prop')).toString();
    const row = /"forecast":"\$@([0-9a-f]+)"/.exec(given)?.[1];
    expect(given).toMatch(new RegExp(`\\n${row}:"Rain until noon`));
    expect((await readFlight(request, 'promise-prop', 'give=value')).toString()).toContain('"forecast":"Rain until');
  });

  test('duplicates', async ({ request }) => {
    const plain = await readFlight(request, 'duplicates');
    const cached = await readFlight(request, 'duplicates', 'with=cache');
    expect(countOf(plain, 'Wrote the flight software')).toBe(12);
    expect(countOf(cached, 'Wrote the flight software')).toBe(1);
    expect(countOf(cached, ':props:children:3:props:author"')).toBe(11);
    expect(plain.length - cached.length).toBeGreaterThan(1_900);
    expect(Math.abs(gzipSync(plain).length - gzipSync(cached).length)).toBeLessThan(100);
  });

  test('client components in a loop', async ({ request }) => {
    const server = await readFlight(request, 'client-references');
    const browser = await readFlight(request, 'client-references', 'loop=browser');
    expect(countOf(server, '],"Tag",1]')).toBe(1);
    expect(countOf(server, '{"text":"tag-')).toBe(100);
    expect(server.length - browser.length).toBeGreaterThan(2_500);
    expect(gzipSync(server).length - gzipSync(browser).length).toBeLessThan(500);
  });

  test('bound arguments and closures', async ({ request }) => {
    const flight = (await readAlone(request, 'bound-actions')).toString();
    expect(flight.match(/"bound":"\$@/g)).toHaveLength(2);
    expect(countOf(Buffer.from(flight), 'invoice-2041')).toBe(1);
    expect(flight).toMatch(/:"[A-Za-z0-9+/=]{60,80}"\n/);
  });

  test('a binary prop', async ({ request }) => {
    const [bytes, numbers, base64] = await Promise.all(
      ['', 'as=numbers', 'as=base64'].map((query) => readFlight(request, 'binary-prop', query)),
    );
    if (!bytes || !numbers || !base64) throw new Error('One of them is missing');
    expect(bytes.toString('latin1')).toMatch(/\n[0-9a-f]+:o800,/);
    expect(base64.length - bytes.length).toBeGreaterThan(650);
    expect(numbers.length - bytes.length).toBeGreaterThan(2_048 * 2);
  });

  test('an async iterable', async ({ request }) => {
    const flight = (await readFlight(request, 'async-iterable')).toString();
    const row = /\n([0-9a-f]+):X\n/.exec(flight)?.[1];
    expect(flight.match(new RegExp(`${row}:T[0-9a-f]+,`, 'g'))).toHaveLength(5);
    expect(flight.trimEnd().endsWith(`${row}:C`)).toBe(true);
  });

  test('temporary references', async ({ page }) => {
    await openHydrated(page, '/lab/temporary-references');
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Send it there and back' }).click();
    const body = (await posted).postData() ?? '';
    expect(body).toContain('"picture":"$T"');
    expect(body).not.toContain('stays in the browser');
    await expect(page.getByTestId('decorated')).toHaveText(
      'Sent and seen, a picture that stays in the browser, and the function is the same one',
    );
  });

  test('a large list', async ({ request }) => {
    const elements = await readAlone(request, 'large-list');
    const data = await readAlone(request, 'large-list', '?as=data');
    expect(elements.length / data.length).toBeGreaterThan(4.5);
    expect(gzipSync(elements).length / gzipSync(data).length).toBeGreaterThan(3);
    expect(elements.toString().split('\n').length - 1).toBe(400);
  });

  test('the order of a stream', async ({ request }) => {
    const text = (await readAlone(request, 'streaming-order')).toString();
    expect(text).toMatch(/\n0:.*\n4:.*Third.*\n3:.*Second.*\n2:.*First/);
  });

  test('a server function as a prop', async ({ request, page }) => {
    const text = (await readAlone(request, 'action-props')).toString();
    expect(text).toMatch(/\n2:\{"id":"[^"]+","bound":null\}\n0:.*"add":"\$h2"/);
    await openHydrated(page, '/lab/about/action-props');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Add 40 and 2' }).click();
    await expect(page.getByTestId('sum')).toHaveText('42');
  });

  test('keys and identity', async ({ request, page }) => {
    expect((await readAlone(request, 'keys-and-identity')).toString()).toContain('["$","label","Ada",');
    expect((await readAlone(request, 'keys-and-identity', '?keys=none')).toString()).toContain('["$","label",null,');
    for (const [query, keeper] of [
      ['', 'Ada'],
      ['?keys=none', 'Margaret'],
    ] as const) {
      await openHydrated(page, `/lab/keys-and-identity${query}`);
      await page.getByLabel('Ada').fill('typed');
      await page.getByRole('link', { name: 'Turn it around' }).click();
      await expect(page).toHaveURL(/order=reversed/);
      await expect(page.getByLabel(keeper)).toHaveValue('typed');
    }
  });

  test('prerendered', async ({ request, page }) => {
    const first = await request.get('/lab/prerendered');
    expect(
      (await request.get('/lab/prerendered', { headers: { 'if-none-match': first.headers()['etag'] ?? '' } })).status(),
    ).toBe(304);
    await page.goto('/lab/prerendered');
    await expect(page.getByText('Rendered at the time of the build.')).toBeVisible();
    await page.getByRole('link', { name: 'The same, for each request' }).click();
    await expect(page.getByText(/Rendered at \d{4}-/)).toBeVisible();
  });

  test('a list that streams shows its first result before its last', async ({ page }) => {
    await page.goto('/lab/streaming-list', { waitUntil: 'commit' });
    await expect(page.getByText('Result 1', { exact: true })).toBeVisible();
    await expect(page.getByText('Result 8', { exact: true })).toBeVisible();
    await page.goto('/lab/async-iterable');
    await expect(page.getByRole('list', { name: 'Log' }).getByRole('listitem')).toHaveCount(5);
  });
});
