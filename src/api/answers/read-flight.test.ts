import * as v from 'valibot';
import { expect, it } from 'vitest';

import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import type { Span } from '#src/flights/traces/span.ts';
import { packSpans } from '#src/flights/traces/pack-spans.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { askAsOperator } from '#src/flights/recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { describeAnswer } from '#src/command/mcp/describe-answer.ts';

import { flightDetails, type FlightDetails } from '../schemas/flights.ts';
import { readFlight } from './read-flight.ts';

useRecorder();

const now = Date.now();
const requestId = 'a'.repeat(32);
const traceId = 'b'.repeat(32);

type Recorded = { readonly spans?: readonly Span[]; readonly kind?: FlightHead['kind']; readonly rows?: string };

/** @param recorded.rows of a response whose connection broke behind them */
async function record({ spans = [], kind = 'document', rows }: Recorded = {}): Promise<FlightDetails> {
  const payload = rows === undefined ? [] : [Buffer.from(rows)];
  const bytes = rows?.length ?? 0;
  const sent =
    rows === undefined ? ({ content: 'none' } as const) : ({ content: 'flight', outcome: 'failed' } as const);
  const head = { requestId, traceId, app: 'shop', kind, outcome: 'complete', ...sent } as const;
  const plain = { method: 'GET', rendering: 'dynamic', source: 'proxy', startedAt: now, durationMs: 400 } as const;
  const known = { bytes, keptBytes: bytes, sentBytes: bytes, knownDecodedBytes: bytes } as const;
  const written = { payload, debug: [], args: new Uint8Array() };
  currentWriter().add(createSampleHead({ ...plain, ...head, ...known }), written);
  await currentWriter().flush();
  await currentWriter().ask({ type: 'spans', app: 'shop', parts: packSpans(spans) });
  const asked = { id: '1', fields: new URLSearchParams(), access: { kind: 'login-off' }, origin: '', now } as const;
  const answer = await askAsOperator(async () => readFlight(asked));
  if (answer.type !== 'json') throw new Error(answer.type);
  return v.parse(flightDetails, answer.body);
}

it('says what the server did meanwhile, and what stands out in it, to programs and to a coding agent', async () => {
  const span = { traceId: requestId, parent: '', startedAt: now, hasFailed: false } as const;
  const body = await record({
    spans: [
      { ...span, id: '1'.repeat(16), name: 'Cart', kind: 'component', ms: 380, place: 'src/cart.tsx:6' },
      { ...span, id: '2'.repeat(16), name: 'GET prices', kind: 'client', ms: 300, parent: '1'.repeat(16) },
      { ...span, id: '3'.repeat(16), name: 'of another request', kind: 'client', ms: 300, traceId: 'c'.repeat(32) },
    ],
  });
  expect(body.serverTime).toMatchObject({
    tellers: ['code'],
    movedMs: 0,
    left: 0,
    spans: [
      { name: 'Cart', kind: 'component', place: 'src/cart.tsx:6', atMs: 0, ms: 380, ownMs: 80, depth: 0 },
      { name: 'GET prices', kind: 'client', place: null, atMs: 0, ms: 300, ownMs: 300, depth: 1, isOpen: false },
    ],
    findings: [{ kind: 'longest', ms: 300, guess: '', advice: '' }],
  });
  expect(describeAnswer('get_flight', body)).toContain(
    'server: `GET prices` took 300 ms, 79 % of the time, in `<Cart>` (src/cart.tsx:6).',
  );
});

it('says nothing of it where the app told nothing', async () => {
  const body = await record();
  expect(body.serverTime).toBeNull();
  expect(describeAnswer('get_flight', body)).not.toContain('server:');
});

it.each(['document', 'navigation', 'prefetch'] as const)(
  'says of a %s that broke between two rows what its page says',
  async (kind) => {
    const body = await record({ kind, rows: '0:["$L1"]\n' });
    expect(body.payload.state).toBe('halted');
    expect(body.findings).toMatchObject([
      { weight: 'problem', title: 'The response was cut: 1 row was promised and never came: 1.' },
    ]);
  },
);
