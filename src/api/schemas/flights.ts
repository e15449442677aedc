import * as v from 'valibot';

import { serverTime } from './server-time.ts';
import { bytes, count, milliseconds, nextPage, page, self, time } from './values.ts';
import { vitals } from './vitals.ts';

export const flight = v.object({
  id: v.pipe(v.number(), v.integer(), v.description('In the order in which flights were completed.')),
  app: v.string(),
  kind: v.pipe(
    v.picklist(['document', 'navigation', 'prefetch', 'navigation-or-prefetch', 'action', 'slice', 'other']),
    v.description(
      '`navigation-or-prefetch`: nothing says whether somebody clicked, or the browser fetched the page ahead. It counts as neither. `other`: an endpoint that failed, a file that is gone, a page that a script read.',
    ),
  ),
  method: v.string(),
  path: v.string(),
  query: v.pipe(v.array(v.string()), v.description('Names of the query’s parameters. Their values are not recorded.')),
  route: v.string(),
  status: v.pipe(v.number(), v.integer()),
  rendering: v.picklist(['dynamic', 'static', 'prerendered', 'unknown']),
  content: v.picklist(['flight', 'html', 'none']),
  outcome: v.picklist(['complete', 'failed', 'left', 'none']),
  source: v.picklist(['runtime', 'proxy', 'received']),
  framework: v.nullable(v.string()),
  build: v.pipe(v.string(), v.description('The id of the build that answered; empty where it is not known.')),
  tabBuild: v.pipe(
    v.nullable(v.string()),
    v.description('Of a navigation or an action whose tab is of another build: that one, or `unknown`.'),
  ),
  startedAt: time,
  firstByteMs: v.nullable(milliseconds),
  durationMs: milliseconds,
  sizes: v.object({
    flight: v.pipe(v.nullable(bytes), v.description('Bytes of the Flight rows, before compression.')),
    response: v.pipe(v.nullable(bytes), v.description('Bytes of the response’s body, before compression.')),
    transferred: v.pipe(v.nullable(bytes), v.description('Bytes of the response’s body as it was sent.')),
  }),
  isCut: v.pipe(v.boolean(), v.description('More went out than was kept.')),
  writes: v.pipe(count, v.description('In how many chunks its Flight was written.')),
  hits: v.pipe(count, v.description('How many hits of a prerendered file this stands for.')),
  digests: v.array(v.string()),
  requestId: v.string(),
  traceId: v.string(),
  visit: v.nullable(v.string()),
  fromPath: v.nullable(v.string()),
  trigger: v.nullable(v.string()),
  link: v.pipe(
    v.nullable(v.object({ text: v.string(), place: v.string() })),
    v.description('Of a prefetch of another app: for which link it was made, where a browser told it. Untrusted.'),
  ),
  actionId: v.nullable(v.string()),
  prefetchOutcome: v.nullable(v.picklist(['used', 'unused', 'expired', 'waiting', 'unknown'])),
  page,
  self,
});

export const flightList = v.object({
  flights: v.array(flight),
  sorted: v.pipe(
    v.nullable(count),
    v.description('Of a list in another order than that of time: how many flights were put in order.'),
  ),
  newest: v.pipe(count, v.description('The newest id of all; 0 when nothing is recorded.')),
  next: nextPage,
});

const finding = v.object({
  kind: v.string(),
  weight: v.picklist(['problem', 'wait', 'cost', 'note']),
  title: v.string(),
  advice: v.string(),
  bytes: v.nullable(v.number()),
  compressed: v.nullable(v.number()),
  ms: v.nullable(v.number()),
});

export const flightDetails = v.object({
  ...flight.entries,
  chunks: v.array(v.object({ ms: milliseconds, bytes, isDebug: v.boolean() })),
  elements: v.array(v.string()),
  elided: v.pipe(
    v.array(v.object({ element: v.string(), from: v.nullable(v.pipe(v.number(), v.integer())) })),
    v.description('Parts of the page that the browser had already, and the flight that brought each.'),
  ),
  arguments: v.nullable(v.object({ contentType: v.string(), bytes, isCut: v.boolean() })),
  vitals: v.pipe(
    v.nullable(vitals),
    v.description('Of a document of another app: its Web Vitals, where a browser told them. Untrusted.'),
  ),
  payload: v.object({
    path: v.pipe(v.string(), v.description('Path of the payload’s bytes in the API.')),
    bytes: v.pipe(bytes, v.description('How many of its bytes are kept.')),
    state: v.nullable(v.picklist(['complete', 'aborted', 'halted', 'truncated', 'malformed'])),
  }),
  findings: v.pipe(
    v.nullable(v.array(finding)),
    v.description(
      'What there is to say about the payload; null for one of more than 256 KiB, which is not analysed here.',
    ),
  ),
  serverTime: v.pipe(
    v.nullable(serverTime),
    v.description('What the server did meanwhile, as the app told it; null where it told nothing. Untrusted texts.'),
  ),
});

export type FlightItem = v.InferOutput<typeof flight>;
export type FlightList = v.InferOutput<typeof flightList>;
export type FlightDetails = v.InferOutput<typeof flightDetails>;
