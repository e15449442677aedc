import * as v from 'valibot';

import { count, page, time } from './values.ts';

export const root = v.object({
  name: v.string(),
  version: v.string(),
  access: v.object({
    isReadOnly: v.literal(true),
    apps: v.pipe(v.nullable(v.array(v.string())), v.description('Of which apps it may read; null: of all.')),
  }),
  links: v.object({
    apps: v.string(),
    faults: v.string(),
    errors: v.string(),
    flights: v.string(),
    openapi: v.string(),
    page,
  }),
});

export const apps = v.object({
  apps: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      isOwn: v.pipe(v.boolean(), v.description('This server itself, with its lab.')),
      errors: v.pipe(count, v.description('Errors of its servers that are kept.')),
      lastErrorAt: v.nullable(time),
      untrusted: v.pipe(
        count,
        v.description('Untrusted errors, of browsers, that are kept. An app may be known by these alone.'),
      ),
      lastUntrustedAt: v.nullable(time),
      flights: count,
      record: v.pipe(
        v.string(),
        v.description(
          'What is recorded of it now, as RECORD is written. Of all but `all` sums of flights are smaller than what was sent, and what failed is a larger share of them.',
        ),
      ),
      lastFlightAt: v.nullable(time),
      framework: v.nullable(v.string()),
      page,
    }),
  ),
});

export type Root = v.InferOutput<typeof root>;
export type Apps = v.InferOutput<typeof apps>;
