import type { StoredFlight } from '../../../flight/flight-columns.ts';
import { readFixture, toExchange } from '../../../watch/testing/read-fixture.ts';
import { createVisits } from '../guess-visits.ts';

export type Step = {
  readonly kind: StoredFlight['kind'];
  readonly path: string;
  /** With `?`. */
  readonly query?: string;
  /** What the request is called in a test. */
  readonly id?: string;
  readonly from?: string;
  readonly at?: number;
  readonly peer?: string;
  readonly rendering?: StoredFlight['rendering'];
  readonly look?: Pick<typeof base.look, 'framework'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
};

export const minute = 60_000;
const base = toExchange(readFixture('next-16/prefetch-tree.json')).facts;
const agent = { 'user-agent': 'one', host: 'app.example' };
let requests = 0;

export function createPlacer() {
  const visits = createVisits();
  function toFacts({
    path,
    query = '',
    id,
    from,
    at = 0,
    peer = '192.0.2.1',
    headers = {},
    responseHeaders = {},
    look = base.look,
  }: Step) {
    const referer = from === undefined ? {} : { referer: `http://app.example${from}` };
    const requestHeaders = { ...agent, ...referer, ...headers };
    requests += 1;
    return {
      ...base,
      look: { ...base.look, ...look },
      requestId: id ?? String(requests),
      target: `${path}${query}`,
      requestHeaders,
      responseHeaders,
      peer,
      startedAt: 1_000_000 + at,
    };
  }
  return Object.assign((step: Step) => visits.place(toFacts(step), step), {
    begin: (step: Step) => visits.begin(toFacts(step), step),
  });
}
