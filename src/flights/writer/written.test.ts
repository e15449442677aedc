import { expect, test } from 'vitest';

import type { ExportedFlight } from '#src/flights/telemetry/exported.ts';

import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createWritten } from './written.ts';

const head = createSampleHead({ app: 'shop', outcome: 'complete', bytes: 10, hits: 1, lastAt: null });

test('counts flights, hits and bytes by app and outcome, once they are committed', () => {
  const written = createWritten(undefined);
  written.note(head, 'row');
  expect(written.take()).toEqual([]);
  written.note({ ...head, hits: 5 }, 'hits');
  written.note({ ...head, outcome: 'failed' }, 'row');
  written.note({ ...head, app: 'blog' }, 'row');
  written.commit();
  written.note(head, 'row');
  written.commit();
  expect(written.take()).toEqual([
    { app: 'shop', outcome: 'complete', flights: 7, bytes: 70 },
    { app: 'shop', outcome: 'failed', flights: 1, bytes: 10 },
    { app: 'blog', outcome: 'complete', flights: 1, bytes: 10 },
  ]);
  expect(written.take()).toEqual([]);
});

test('tells of a flight once, after the commit, and of none that was there or was undone', () => {
  const told: ExportedFlight[] = [];
  const written = createWritten((flights) => told.push(...flights));
  written.note({ ...head, path: '/known' }, 'known');
  written.note({ ...head, path: '/hits' }, 'hits');
  written.note({ ...head, path: '/counted', lastAt: 7, hits: 3 }, 'row');
  written.note({ ...head, path: '/row' }, 'row');
  expect(told).toEqual([]);
  written.commit();
  written.note({ ...head, path: '/undone' }, 'row');
  written.rollback();
  written.commit();
  expect(told.map(({ path }) => path)).toEqual(['/row']);
  expect(told[0]).toMatchObject({ app: 'shop', requestId: head.requestId, traceId: head.traceId, bytes: 10 });
  expect(written.take()).toMatchObject([{ app: 'shop', flights: 5 }]);
});
