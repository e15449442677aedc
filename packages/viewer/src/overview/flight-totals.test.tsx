import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import type { OpenedFlight } from '../opened-flight.ts';
import { FlightTotals } from './flight-totals.tsx';

const bytes = new TextEncoder().encode('0:"one row"\n');
const pasted: OpenedFlight = {
  flight: decodeFlight(bytes),
  bytes,
  chunks: [],
  title: 'Pasted',
  facts: [],
};

function readTotals(opened: OpenedFlight): string[] {
  const html = renderToStaticMarkup(<FlightTotals opened={opened} />);
  return [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => `${name}: ${value}`);
}

it('has the sizes of a response only where there was one', () => {
  expect(readTotals(pasted)).toEqual(['Row: 1', 'Flight: 12 B', 'With gzip, estimated: …', 'Times: unknown']);
});

it('says which of the three sizes is not known', () => {
  const recorded = { ...pasted, sizes: { response: 4200, transferred: undefined }, chunks: [{ ms: 40, bytes: 12 }] };
  expect(readTotals(recorded)).toEqual([
    'Row: 1',
    'Flight: 12 B',
    'Response: 4.2 kB',
    'Transferred: –',
    'With gzip, estimated: …',
    'In one chunk: 40 ms',
  ]);
  expect(renderToStaticMarkup(<FlightTotals opened={recorded} />)).toContain('title="Not known"');
});
