import * as v from 'valibot';

import { bytes, count, page, time } from './values.ts';

const some = v.nullable(bytes);

export const storms = v.object({
  storms: v.array(
    v.object({
      app: v.string(),
      tab: v.pipe(v.string(), v.description('The id of the visit.')),
      route: v.pipe(v.string(), v.description('That it asks for most.')),
      page: v.pipe(v.nullable(v.string()), v.description('The path of the page that asks.')),
      requests: count,
      peak: v.pipe(count, v.description('Requests of the busiest second.')),
      bytes: v.pipe(some, v.description('That were sent, of the requests of which that is known.')),
      sized: v.pipe(count, v.description('Of how many requests it is known.')),
      prefetches: v.pipe(count, v.description('Of the requests: prefetches for certain.')),
      unsure: v.pipe(count, v.description('Of the requests: prefetches or navigations, which nothing tells apart.')),
      prefetchBytes: v.pipe(some, v.description('Of the bytes: those of prefetches.')),
      month: v.pipe(
        v.object({ requests: count, bytes: some, price: v.nullable(v.number()) }),
        v.description('What it would be in thirty days, if it went on like that. `price`: at the prices that are set.'),
      ),
      firstAt: time,
      lastAt: time,
      requestId: v.pipe(v.string(), v.description('Of the last request.')),
    }),
  ),
  page,
});

export type StormList = v.InferOutput<typeof storms>;
