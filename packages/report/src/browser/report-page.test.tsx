import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { isReported, reportPage } from './report-page.ts';

const { sent } = vi.hoisted(() => ({ sent: [] as string[] }));
vi.mock('./deliver-reports.ts', () => ({
  deliver: (envelope: string) => sent.push(envelope),
  startDelivery: () => undefined,
}));

beforeEach(() => {
  // happy-dom has none.
  vi.stubGlobal('PerformanceNavigationTiming', Event);
  vi.stubGlobal('PromiseRejectionEvent', class extends Event {});
  vi.stubGlobal('SecurityPolicyViolationEvent', class extends Event {});
});

afterEach(() => {
  globalThis.__flightErrors = undefined;
  vi.unstubAllGlobals();
});

it('reports as a runtime in the app says: what it deals with itself is not told, and all else under its digest', () => {
  expect(isReported()).toBe(false);
  const expected = new Error('refused');
  const sender = { traceId: 'd'.repeat(32) };
  const rules = {
    isExpected: (error: unknown) => error === expected,
    identify: () => ({ side: 'browser', digest: '3F7K2M9QRT' }) as const,
  };
  reportPage({ sender, address: '/tunnel', remembers: false, rules }, () => import('./second-part.ts'));
  expect(isReported()).toBe(true);
  for (const error of [expected, new Error('real')]) dispatchEvent(new ErrorEvent('error', { error }));
  const events: unknown[] = sent.map((envelope) => JSON.parse(envelope.split('\n')[2] ?? ''));
  expect(events).toEqual([
    expect.objectContaining({
      tags: { side: 'browser', digest: '3F7K2M9QRT', mechanism: 'window' },
      exception: [expect.objectContaining({ value: 'real' })],
    }),
  ]);
});
