import * as v from 'valibot';

import { flight } from './flights.ts';
import { bytes, count, milliseconds, page } from './values.ts';
import { vitalFigures } from './vitals.ts';

export const routes = v.object({
  routes: v.array(
    v.object({
      route: v.string(),
      kind: flight.entries.kind,
      flights: v.pipe(count, v.description('Counted hits are as many.')),
      failures: count,
      sizes: v.object({
        flight: bytes,
        response: v.pipe(v.nullable(bytes), v.description('Null where it is not known of all of them.')),
        transferred: v.pipe(v.nullable(bytes), v.description('The same.')),
      }),
      p50Ms: v.pipe(v.nullable(milliseconds), v.description('Within which half of them had ended.')),
      p95Ms: v.pipe(v.nullable(milliseconds), v.description('Within which 95 of 100 had ended.')),
      p99Ms: v.pipe(v.nullable(milliseconds), v.description('Within which 99 of 100 had ended.')),
      vitals: v.pipe(
        v.nullable(vitalFigures),
        v.description('Of documents, as browsers told them. Untrusted. Null where none did.'),
      ),
    }),
  ),
  page,
});

export type RouteList = v.InferOutput<typeof routes>;
