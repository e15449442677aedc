import type { ServerTime } from '../server-time/server-time.ts';

/** One component of a page, as its app told it. */
export const cartTime: ServerTime = {
  tellers: ['code'],
  movedMs: 0,
  left: 0,
  spans: [
    { name: 'Cart', kind: 'component', at: 1, ms: 9, depth: 0, ownMs: 9, hasFailed: false, place: 'src/cart.tsx:6' },
  ],
};
