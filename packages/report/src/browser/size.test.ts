import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';
import { build } from 'vite';

/** What a page loads: the module promises so much, compressed. */
const limit = 7_000;

test('the script is below 7 kB, compressed, and loads nothing but the second part, whose address it is told', async () => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    build: {
      lib: { entry: `${import.meta.dirname}/script.ts`, name: 'flightRecorder', formats: ['iife'] },
      target: 'es2022',
      minify: true,
      write: false,
    },
  });
  const [bundle] = Array.isArray(result) ? result : [];
  const chunks = bundle?.output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk : [])) ?? [];
  expect(chunks.length).toBe(1);
  const [{ code, imports } = { code: '', imports: [] }] = chunks;
  expect(imports).toEqual([]);
  expect(code).toContain('FLIGHT_OPTIONS');
  expect(code).toContain('import(FLIGHT_SECOND_PART)');
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(limit);
});
