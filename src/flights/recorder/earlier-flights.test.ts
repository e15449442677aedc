import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import { askAsOperator } from './testing/ask-as-operator.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { listEarlierFlights, type EarlierFlight } from '../for-operator/earlier-flights.ts';
import { listFlights } from '../for-operator/queries.ts';
import { currentWriter } from './recorder.ts';
import { createSampleHead } from './testing/sample-head.ts';
import { useRecorder } from './testing/use-recorder.ts';

const hour = 60 * 60 * 1_000;
const now = Date.now();
const encoder = new TextEncoder();

useRecorder();

type Recorded = Partial<FlightHead> & { readonly text?: string; readonly hoursAgo: number };

function id(): string {
  return randomBytes(16).toString('hex');
}

/** Records them in this order; what they show of each other is what the newest says. */
async function listForNewest(recorded: readonly Recorded[]) {
  const writer = currentWriter();
  for (const { text = '0:1\n', hoursAgo, ...head } of recorded) {
    const payload = text === '' ? [] : [encoder.encode(text)];
    writer.add(
      createSampleHead({
        requestId: id(),
        traceId: id(),
        content: text === '' ? 'none' : 'flight',
        bytes: text.length,
        keptBytes: text.length,
        ...head,
        startedAt: now - hoursAgo * hour,
      }),
      { payload, debug: [], args: new Uint8Array() },
    );
  }
  await writer.flush();
  const { flights } = await askAsOperator(() => listFlights({}, { limit: 1 }));
  const [newest] = flights;
  if (!newest) throw new Error('nothing was recorded');
  const earlier = await askAsOperator(() => listEarlierFlights(newest));
  const show = ({ flight, isSame }: EarlierFlight) => `${flight.id}${isSame ? ' same' : ''}`;
  return {
    alike: earlier.alike.map(show),
    dayBefore: earlier.dayBefore && show(earlier.dayBefore),
    others: earlier.others.map(show),
    ...(earlier.isMore ? { isMore: true } : {}),
  };
}

const page = { route: '/shop', path: '/shop', kind: 'navigation' } as const;

it('lists those of the same kind first, and says which are the same', async () => {
  expect(
    await listForNewest([
      { ...page, hoursAgo: 4 },
      { ...page, hoursAgo: 3, text: '0:2\n' },
      { ...page, hoursAgo: 3, kind: 'prefetch' },
      { ...page, hoursAgo: 2, route: '/other' },
      { ...page, hoursAgo: 2, text: '' },
      { ...page, hoursAgo: 2, app: 'shop' },
      { ...page, hoursAgo: 1 },
      { ...page, hoursAgo: 0 },
    ]),
  ).toEqual({ alike: ['7 same', '2', '1 same'], dayBefore: undefined, others: ['3 same'] });
});

it('offers the one that is nearest to a day before', async () => {
  const recent = Array.from({ length: 6 }, (): Recorded => ({ ...page, hoursAgo: 1 }));
  const { alike, dayBefore, isMore } = await listForNewest([
    { ...page, hoursAgo: 60 },
    { ...page, hoursAgo: 30 },
    { ...page, hoursAgo: 26, kind: 'prefetch' },
    { ...page, hoursAgo: 25, text: '0:"yesterday"\n' },
    { ...page, hoursAgo: 20 },
    ...recent,
    { ...page, hoursAgo: 0 },
  ]);
  expect(alike).toEqual(['11 same', '10 same', '9 same', '8 same', '7 same']);
  expect(dayBefore).toBe('4');
  // It lists the last five of nine.
  expect(isMore).toBe(true);
});

it('offers none of a day before when it is listed anyway, or too far from a day', async () => {
  const near = await listForNewest([
    { ...page, hoursAgo: 24 },
    { ...page, hoursAgo: 0 },
  ]);
  expect(near).toEqual({ alike: ['1 same'], dayBefore: undefined, others: [] });
  const far = await listForNewest([
    { ...page, route: '/far', hoursAgo: 100 },
    ...Array.from({ length: 6 }, (): Recorded => ({ ...page, route: '/far', hoursAgo: 1 })),
    { ...page, route: '/far', hoursAgo: 0 },
  ]);
  expect(far.dayBefore).toBeUndefined();
});

it('has nothing to say of a flight without a body', async () => {
  expect(
    await listForNewest([
      { ...page, hoursAgo: 1 },
      { ...page, hoursAgo: 0, text: '' },
    ]),
  ).toEqual({
    alike: [],
    dayBefore: undefined,
    others: [],
  });
});
