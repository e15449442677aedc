import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';

const now = Date.UTC(2026, 10, 22, 12);

/** For tests: an open fault that occurred once. */
export const sampleFault: FaultDetails = {
  id: '7k3m9qrt',
  app: 'shop',
  side: 'server',
  name: 'TypeError',
  message: 'no order',
  culprit: 'src/cart.ts · addItem',
  level: 'error',
  state: 'open',
  unseen: null,
  firstTime: now,
  lastTime: now,
  firstRelease: '41',
  lastRelease: '42',
  count: 1,
  untrusted: 0,
  users: 0,
  stateDetails: { type: 'open' },
  stateTime: now - 7_200_000,
  kept: 1,
  keptUntrusted: 0,
  activities: [],
};
