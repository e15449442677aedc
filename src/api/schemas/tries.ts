import * as v from 'valibot';

import { tryRules } from '#src/flights/flight/forged-try.ts';

import { count, page, time } from './values.ts';

const rule = v.pipe(
  v.picklist(tryRules),
  v.description('What no client of React could have written. docs/guard.md names each.'),
);

export const tries = v.object({
  tries: v.array(
    v.object({
      app: v.string(),
      rule,
      advisory: v.pipe(v.nullable(v.string()), v.description('The published advisory whose shape it had.')),
      network: v.pipe(v.string(), v.description('Of the sender, shortened.')),
      status: v.pipe(v.nullable(v.number()), v.description('What the app answered; null: nothing.')),
      count,
      firstAt: time,
      lastAt: time,
      path: v.string(),
      action: v.nullable(v.string()),
      detail: v.pipe(v.string(), v.description('What is wrong, with a piece of the body at most.')),
      body: v.pipe(
        v.string(),
        v.description('The beginning of the first such body, without what is secret by its name.'),
      ),
    }),
  ),
  page,
});

export type TryList = v.InferOutput<typeof tries>;
