import { expectFlight, readFlightShape } from 'flight-recorder/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startApp } from './start-app';

let app: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  app = await startApp();
}, 60_000);

afterAll(() => app.stop());

test('the guest book stays within its budget', async () => {
  await expectFlight(fetch(`${app.origin}/`)).toStayWithin({
    bytes: '3kB',
    gzip: '1.2kB',
    duplicates: 200,
    clientModules: 10,
  });
});

test('the guest book keeps its shape', async () => {
  const shape = await readFlightShape(fetch(`${app.origin}/`));
  expect(shape).toContain('<LikeButton name=string> client');
  expect(await readFlightShape(fetch(`${app.origin}/`))).toBe(shape);
});

test.each(['/broken/on-the-server', '/broken/in-html'])(
  '%s answers 500 with a digest, and not with the cause',
  async (path) => {
    const response = await fetch(app.origin + path, { headers: { accept: 'text/html' } });
    const html = await response.text();
    expect(response.status).toBe(500);
    expect(html).toMatch(/[0-9A-Z]{5}-[0-9A-Z]{5}/);
    expect(html).not.toMatch(/locked|window is not defined/);
  },
);

test('the recorder is there, and shows strangers nothing', async () => {
  const ask = async () => (await fetch(`${app.origin}/_flight`)).status;
  // The app answers before the recorder does: until then it is 503.
  await expect.poll(ask, { timeout: 15_000, interval: 250 }).toBe(401);
}, 20_000);
