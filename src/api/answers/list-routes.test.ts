import * as v from 'valibot';
import { expect, it } from 'vitest';

import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { askAsOperator } from '#src/flights/recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { openStore } from '#src/store/open-store.ts';

import { routes } from '../schemas/routes.ts';
import { listRoutes } from './list-routes.ts';

useRecorder();

it('says within which time half, 95 and 99 in a hundred answers of a route had ended', async () => {
  const now = Date.now();
  const none = { payload: [], debug: [], args: new Uint8Array() };
  for (let durationMs = 1; durationMs <= 100; durationMs += 1) {
    const of = { app: 'shop', route: '/cart', kind: 'document', content: 'none', outcome: 'complete' } as const;
    const requestId = durationMs.toString(16).padStart(32, '0');
    currentWriter().add(createSampleHead({ ...of, requestId, startedAt: now, durationMs }), none);
  }
  await currentWriter().flush();
  const store = await openStore();
  try {
    const asked = { id: '', fields: new URLSearchParams(), access: { kind: 'login-off' }, origin: '', now } as const;
    const answer = await askAsOperator(() => listRoutes(asked));
    const body = answer.type === 'json' ? v.parse(routes, answer.body) : undefined;
    expect(body?.routes).toMatchObject([{ route: '/cart', flights: 100, p50Ms: 50, p95Ms: 95, p99Ms: 99 }]);
  } finally {
    await store.close();
  }
});
