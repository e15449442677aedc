import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

const folder = path.join(import.meta.dirname, 'samples');
const fixtures = path.join(import.meta.dirname, '../../../../packages/flight/fixtures');

it.each([
  ['next.rsc', 'next-16.4.6-cache-components/about.rsc'],
  ['waku.rsc', 'waku-1.0.0-rc.1-production/home-rsc.flight'],
  ['react-router.rsc', 'react-router-8-production/home.rsc'],
  ['failed.rsc', 'waku-1.0.0-rc.1-production/boom-rsc.flight'],
])('%s is what a framework sent: a small fixture of the decoder', (sample, fixture) => {
  const bytes = readFileSync(path.join(folder, sample));
  expect(bytes.length).toBeLessThan(5_000);
  expect(bytes.equals(readFileSync(path.join(fixtures, fixture)))).toBe(true);
});
