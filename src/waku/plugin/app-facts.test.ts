import path from 'node:path';

import { resolveConfig } from 'vite';
import { expect, test } from 'vitest';

import { readAppFacts } from './app-facts.ts';
import { readOptions } from './options.ts';

const constant = 'import.meta.env.WAKU_CONFIG_RSC_BASE';

/** With the repository's own Waku. */
async function read(define: Record<string, string>, options: object = {}) {
  const root = path.join(import.meta.dirname, '../../..');
  const environments = { rsc: { build: { outDir: 'dist/server' } } };
  const config = await resolveConfig({ root, configFile: false, define, environments }, 'build');
  return readAppFacts(config, readOptions(options));
}

test('knows where an app has its payloads', async () => {
  expect((await read({ [constant]: '"RSC"' })).rscBase).toBe('RSC');
  expect((await read({ [constant]: '"api/rsc"' })).rscBase).toBe('api/rsc');
});

test('names the version of Waku that does not say it', async () => {
  await expect(read({})).rejects.toThrow(/^flightRecorder\(\): waku 1\.\S+ defines no import\.meta\.env\.WAKU_CONFIG/);
});

test.each([
  ['"_flight"', '/_flight'],
  ['"_flight/rsc"', '/_flight'],
  ['"tools"', '/Tools/flight'],
])('refuses an interface that would stand among the payloads, or they in it: %s, %s', async (rscBase, mount) => {
  await expect(read({ [constant]: rscBase }, { mount })).rejects.toThrow(`mount is ${mount}, and rscBase of`);
  await expect(read({ [constant]: rscBase }, { mount: false })).resolves.toBeDefined();
});
