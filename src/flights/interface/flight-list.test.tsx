import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { FlightSummary } from '#src/flights/flight/flight-record.ts';

import { FlightList } from './flight-list.tsx';
import { parseFlightQuery } from './flight-query.ts';

vi.mock(import('#src/runtime/navigation/link.tsx'), () => ({ Link: ({ children }) => <b>{children}</b> }));

let id = 0;

function createFlight(flight: Partial<FlightSummary>): FlightSummary {
  id += 1;
  return {
    id,
    requestId: '',
    traceId: '',
    visit: undefined,
    kind: 'navigation',
    method: 'GET',
    path: '/a',
    query: [],
    route: '/a',
    build: '',
    status: 200,
    rendering: 'dynamic',
    content: 'flight',
    outcome: 'complete',
    startedAt: 0,
    firstByteMs: 1,
    durationMs: 1,
    bytes: 1,
    keptBytes: 1,
    digests: [],
    actionId: undefined,
    usedAt: undefined,
    closedAt: undefined,
    hits: 1,
    lastAt: undefined,
    app: 'shop',
    source: 'proxy',
    framework: 'next',
    sentBytes: 1,
    decodedBytes: 1,
    fromPath: undefined,
    trigger: undefined,
    toldAt: undefined,
    linkText: undefined,
    linkPlace: undefined,
    tabBuild: undefined,
    flightBytes: undefined,
    sizes: { flight: 1, response: 1, transferred: 1 },
    isCut: false,
    writes: 1,
    prefetchOutcome: undefined,
    ...flight,
  };
}

function countDynamic(flights: readonly FlightSummary[]): number {
  const html = renderToStaticMarkup(<FlightList flights={flights} now={0} query={parseFlightQuery('')} apps={[]} />);
  return html.split('>dynamic<').length - 1;
}

it('says `dynamic` of a page only where others are not', () => {
  const pages = [createFlight({}), createFlight({ kind: 'document' })];
  const others = [createFlight({ kind: 'action' }), createFlight({ kind: 'prefetch' })];
  expect(countDynamic([...pages, ...others])).toBe(0);
  expect(countDynamic([...pages, ...others, createFlight({ rendering: 'unknown' })])).toBe(0);
  expect(countDynamic([...pages, ...others, createFlight({ rendering: 'prerendered' })])).toBe(2);
});
