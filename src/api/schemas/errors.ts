import * as v from 'valibot';

import { flight } from './flights.ts';
import { count, level, page, self, side, texts, time } from './values.ts';

export const frame = v.object({
  function: v.string(),
  file: v.pipe(v.string(), v.description('As the stack has it: often a built file.')),
  source: v.pipe(v.nullable(v.string()), v.description('The source’s path from the project’s root, by a source map.')),
  line: v.pipe(v.number(), v.integer()),
  column: v.pipe(v.number(), v.integer()),
  inApp: v.pipe(v.boolean(), v.description('The project’s own code.')),
  context: v.pipe(
    v.nullable(v.object({ firstLine: v.pipe(v.number(), v.integer()), lines: v.array(v.string()) })),
    v.description('Lines of the source around it.'),
  ),
});

const said = v.object({
  level,
  environment: v.string(),
  sdk: v.string(),
  user: v.string(),
  tags: texts,
  extra: texts,
});

const cause = v.object({ name: v.string(), message: v.string(), stack: v.string(), frames: v.array(frame) });

const serverError = v.object({
  id: v.string(),
  time,
  name: v.string(),
  message: v.string(),
  telling: v.pipe(v.nullable(frame), v.description('The frame to read first: the innermost of the project’s own.')),
  frames: v.pipe(v.array(frame), v.description('Innermost first.')),
  causes: v.pipe(v.array(cause), v.description('`error.cause`, outermost first.')),
  stack: v.string(),
  componentStack: v.nullable(v.string()),
  phase: v.string(),
  kind: v.string(),
  method: v.string(),
  path: v.string(),
  route: v.string(),
  framework: v.string(),
  runtime: v.string(),
  release: v.string(),
  requestId: v.string(),
  traceId: v.string(),
  said,
});

const browserReport = v.object({
  eventId: v.string(),
  time,
  name: v.string(),
  message: v.string(),
  telling: v.nullable(frame),
  frames: v.array(frame),
  causes: v.array(cause),
  componentStack: v.nullable(v.string()),
  path: v.string(),
  release: v.nullable(v.string()),
  userAgent: v.nullable(v.string()),
  traceId: v.nullable(v.string()),
  said,
});

const breadcrumb = v.object({
  time,
  side,
  category: v.string(),
  level,
  message: v.string(),
  data: texts,
});

export const incident = v.object({
  digest: v.pipe(v.nullable(v.string()), v.description('As its visitor saw it. Null where the framework showed none.')),
  app: v.string(),
  names: v.pipe(
    v.picklist(['occurrence', 'fault']),
    v.description('What the digest names. Of a fault, this is the latest occurrence.'),
  ),
  withDigest: v.pipe(count, v.description('How many errors are kept under this digest.')),
  fault: v.pipe(
    v.nullable(
      v.object({
        id: v.string(),
        state: v.picklist(['open', 'resolved', 'snoozed', 'muted']),
        occurrences: count,
        users: count,
        firstTime: time,
        lastTime: time,
        page,
        self,
      }),
    ),
    v.description('What several occurrences share; null until the stack is understood.'),
  ),
  isClaim: v.pipe(
    v.boolean(),
    v.description('Only browsers reported it: anybody can send such a report, and may have made up all of its texts.'),
  ),
  server: v.pipe(v.nullable(serverError), v.description('Null where only browsers reported it.')),
  browser: v.pipe(v.array(browserReport), v.description('What browsers reported: claims, since anybody can post one.')),
  breadcrumbs: v.pipe(v.array(breadcrumb), v.description('What happened before it, on both sides, oldest first.')),
  feedback: v.pipe(
    v.array(v.object({ time, name: v.string(), message: v.string(), path: v.string() })),
    v.description('What visitors wrote: claims.'),
  ),
  flights: v.pipe(v.array(flight), v.description('Recorded flights of the request, at most three.')),
  page,
});

/** What is known of a code. */
export const lookedUp = v.variant('type', [
  v.object({
    type: v.pipe(v.literal('error'), v.description('An error is stored under it.')),
    code: v.string(),
    otherApps: v.pipe(
      v.array(
        v.object({
          app: v.string(),
          digest: v.string(),
          lastTime: time,
          told: v.pipe(side, v.description('`browser`: only browsers claim it, and anybody can make one up.')),
        }),
      ),
      v.description('Other apps that know this code, too; ask with `app`.'),
    ),
    incident,
  }),
  v.object({
    type: v.pipe(v.literal('log-only'), v.description('It could not be stored. The server’s log has the error.')),
    code: v.string(),
    time,
    reason: v.string(),
    page,
  }),
  v.object({
    type: v.pipe(v.literal('flights-only'), v.description('Flights carried it, and nobody reported its error.')),
    code: v.string(),
    flights: v.array(flight),
    page,
  }),
]);

export const nearDigest = v.object({ digest: v.string(), app: v.string(), time, path: v.string(), page, self });

export type Frame = v.InferOutput<typeof frame>;
export type IncidentAnswer = v.InferOutput<typeof incident>;
export type LookedUp = v.InferOutput<typeof lookedUp>;
export type NearDigestAnswer = v.InferOutput<typeof nearDigest>;
