import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { decodeFlight, describeApp, openFlights } from '#flight';

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

it.each([
  ['parcel.html', 'parcel'],
  ['redwood.html', 'redwood'],
  ['tanstack-start.html', 'tanstack-start'],
])('%s is a document that a framework sent, with a whole payload in it', async (sample, framework) => {
  const bytes = readFileSync(path.join(folder, sample));
  expect(bytes.length).toBeLessThan(16_000);
  const input = await openFlights(new Uint8Array(bytes));
  const [found, ...others] = input.kind === 'flights' ? input.flights : [];
  expect(others).toEqual([]);
  if (found?.direction !== 'response') throw new Error('the document has no flight');
  const flight = decodeFlight(found.bytes);
  expect(flight.state).toEqual({ kind: 'complete' });
  expect(describeApp(flight).framework?.guess).toBe(framework);
});
