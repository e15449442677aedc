import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import type { RecordedFlight } from '#src/flights/flight/flight-record.ts';

import { FlightNotes } from './flight-notes.tsx';

const body = new Uint8Array(100);

const complete: RecordedFlight = {
  id: 1,
  requestId: '0'.repeat(32),
  traceId: '0'.repeat(32),
  visit: undefined,
  kind: 'document',
  method: 'GET',
  path: '/',
  query: [],
  route: '/',
  build: '',
  status: 200,
  rendering: 'unknown',
  content: 'flight',
  outcome: 'complete',
  startedAt: 0,
  firstByteMs: 1,
  durationMs: 2,
  bytes: body.length,
  keptBytes: body.length,
  digests: [],
  chunks: [],
  elements: [],
  elided: [],
  actionId: undefined,
  caching: undefined,
  usedAt: undefined,
  closedAt: undefined,
  hits: 1,
  lastAt: undefined,
  app: 'shop',
  source: 'proxy',
  framework: 'next',
  sentBytes: undefined,
  decodedBytes: undefined,
  flightBytes: undefined,
  codec: undefined,
  fromPath: undefined,
  trigger: undefined,
  toldAt: undefined,
  linkText: undefined,
  linkPlace: undefined,
  vitals: undefined,
  tabBuild: undefined,
  sizes: { flight: body.length, response: undefined, transferred: undefined },
  isCut: false,
  writes: 1,
  prefetchOutcome: undefined,
  body,
  debug: undefined,
  args: undefined,
};

function read(recorded: Partial<RecordedFlight>): string {
  return renderToStaticMarkup(<FlightNotes recorded={{ ...complete, ...recorded }} />);
}

test('a flight that came whole needs no note', () => {
  expect(read({})).toBe('');
});

test('an app that gave no answer is not taken for a stream that broke', () => {
  const unanswered = read({ status: 0, outcome: 'failed', content: 'none', body: new Uint8Array() });
  expect(unanswered).toContain('The app gave no answer.');
  expect(unanswered).toContain('502');
  expect(unanswered).not.toContain('The stream broke.');
  const broken = read({ outcome: 'failed' });
  expect(broken).toContain('The stream broke.');
  expect(broken).not.toContain('502');
  // Our own server has no proxy in front of it, and a visitor who left before the answer is no failure of the app.
  expect(read({ status: 0, outcome: 'failed', source: 'runtime' })).toContain('The stream broke.');
  expect(read({ status: 0, outcome: 'left' })).toContain('The browser left');
});

test('a cut recording says how much of how much was kept, where that is known', () => {
  expect(read({ isCut: true, bytes: 5_000_000 })).toContain('Of 5 MB the first 100 B were kept');
  expect(read({ isCut: true })).toContain('The first 100 B were kept');
});

test('what was not modified, counted together or made at build time is said', () => {
  expect(read({ status: 304 })).toContain('This is what it had.');
  expect(read({ status: 304, content: 'none', body: new Uint8Array() })).toContain('in the flight that brought it');
  expect(read({ hits: 3, lastAt: 60_000 })).toContain('3 hits between');
  expect(read({ content: 'html' })).toContain('Made at build time');
});

test('a flight that measured a save says so', () => {
  expect(read({ kind: 'navigation', trigger: 'save' })).toContain('Sent to measure a save in development');
});
