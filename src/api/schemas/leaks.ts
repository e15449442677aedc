import * as v from 'valibot';

import { cacheRules } from '#flight';

import { count, page, time } from './values.ts';

const counted = {
  app: v.string(),
  name: v.pipe(v.string(), v.description('For people: what it is.')),
  route: v.string(),
  count: v.pipe(count, v.description('Responses.')),
  firstAt: time,
  lastAt: time,
  requestId: v.pipe(v.string(), v.description('Of the last such response.')),
};

export const leaks = v.object({
  secrets: v.pipe(
    v.array(
      v.object({
        ...counted,
        rule: v.string(),
        component: v.pipe(v.nullable(v.string()), v.description('Null outside of elements.')),
        path: v.pipe(v.string(), v.description('The place, from the prop on.')),
      }),
    ),
    v.description('Places in payloads where a secret stands. The secret is not kept.'),
  ),
  caches: v.pipe(
    v.array(
      v.object({
        ...counted,
        rule: v.picklist(cacheRules),
        advice: v.pipe(v.string(), v.description('The setting that mends it.')),
      }),
    ),
    v.description('Answers that caches may give to the wrong visitors.'),
  ),
  page,
});

export type LeakList = v.InferOutput<typeof leaks>;
