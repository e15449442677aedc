import { expect, it } from 'vitest';

import { parseEventsAddress, writeEventsAddress } from './events-address.ts';
import { parseFlightQuery } from './flight-query.ts';

it.each([{ flightsSince: 7 }, { faultsSince: 1_795_000_000_000 }, { flightsSince: 0, faultsSince: 1 }])(
  'an address says what a page shows: %j',
  (shown) => {
    const { search } = new URL(writeEventsAddress('?app=shop', shown), 'http://127.0.0.1');
    expect(parseEventsAddress(search)).toEqual(shown);
    expect(parseFlightQuery(search).app).toBe('shop');
  },
);

it('a page of faults alone asks for no flights', () => {
  expect(writeEventsAddress('', { faultsSince: 5 })).not.toContain('since=');
});
