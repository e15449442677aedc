import { Hono } from 'hono';
import { expect, it } from 'vitest';

import { belowMount } from './below-mount.ts';

async function ask(mount: string, path: string): Promise<number> {
  const app = new Hono().use(belowMount(mount)).all('*', (c) => c.text('a page'));
  return (await app.request(`http://127.0.0.1${path}`)).status;
}

it('answers nothing that is the app’s', async () => {
  expect(await ask('/_flight', '/_flight')).toBe(200);
  expect(await ask('/_flight', '/_flight/flights?app=shop')).toBe(200);
  for (const path of ['/', '/flights', '/login', '/_flights', '/404', '/RSC/R/_root.txt', '/%5fflight/flights']) {
    expect(await ask('/_flight', path)).toBe(404);
  }
});

it('lets everything pass at the root of the server', async () => {
  expect(await ask('', '/')).toBe(200);
  expect(await ask('', '/flights')).toBe(200);
});
