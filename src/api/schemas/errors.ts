import * as v from 'valibot';

import { mapSaid } from '#src/faults/event/said-words.ts';

import { flight } from './flights.ts';
import { count, level, page, receivedTime, self, side, texts, time } from './values.ts';

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
  ...mapSaid(() => v.string()),
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

const browserError = v.object({
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

export const details = v.object({
  digest: v.pipe(v.nullable(v.string()), v.description('As its visitor saw it. Null where the framework showed none.')),
  app: v.string(),
  names: v.pipe(
    v.picklist(['error', 'fault']),
    v.description('What the digest names. Of a fault, this is the latest error.'),
  ),
  withDigest: v.pipe(count, v.description('How many errors are kept under this digest.')),
  deletedWithDigest: v.pipe(
    count,
    v.description('How many more there were: their rows were deleted for room or age. 0 where the digest names one.'),
  ),
  fault: v.pipe(
    v.nullable(
      v.object({
        id: v.string(),
        state: v.picklist(['open', 'resolved', 'snoozed', 'muted']),
        errors: count,
        users: count,
        firstTime: receivedTime,
        lastTime: receivedTime,
        page,
        self,
      }),
    ),
    v.description('What several errors share; null until the stack is understood.'),
  ),
  isUntrusted: v.pipe(
    v.boolean(),
    v.description('Only browsers reported it: anybody can send such a report, and may have made up all of its texts.'),
  ),
  server: v.pipe(v.nullable(serverError), v.description('Null where only browsers reported it.')),
  browser: v.pipe(
    v.array(browserError),
    v.description('What browsers reported: untrusted, since anybody can post one.'),
  ),
  maybe: v.pipe(
    v.array(browserError),
    v.description('What browsers reported with the same digest and no trace to compare: maybe another visitor’s.'),
  ),
  breadcrumbs: v.pipe(v.array(breadcrumb), v.description('What happened before it, on both sides, oldest first.')),
  feedback: v.pipe(
    v.array(v.object({ time, name: v.string(), message: v.string(), path: v.string() })),
    v.description('What visitors wrote: untrusted.'),
  ),
  flights: v.pipe(v.array(flight), v.description('Recorded flights that may be its own, at most three.')),
  printedToo: v.pipe(
    v.array(v.object({ name: v.string(), message: v.string(), time, page })),
    v.description(
      'Errors that the app’s output has with this digest and that say something else: of each text one, the first and the latest. A visitor may have written one.',
    ),
  ),
  otherFaults: v.pipe(
    v.array(v.object({ name: v.string(), message: v.string(), cause: v.string(), time, page })),
    v.description(
      'Other faults with this digest and this message: the digest knows nothing of causes. Of each the latest error.',
    ),
  ),
  flightsFoundBy: v.pipe(
    v.nullable(v.picklist(['request', 'trace', 'time', 'digest'])),
    v.description(
      'What says that they are its own: `request` and `trace`, the error names theirs; `time`, they carried its digest and were under way, ' +
        'as those of another visitor may have been; `digest`, they carried it at another time, perhaps for another visitor.',
    ),
  ),
  page,
});

const holder = {
  app: v.string(),
  digest: v.string(),
  lastTime: time,
  side: v.pipe(side, v.description('`browser`: only browsers report it, and anybody can make one up.')),
};

const otherApps = v.pipe(
  v.array(
    v.object({
      ...holder,
    }),
  ),
  v.description('Other apps that know this code, too; ask with `app`.'),
);

/** Why it is this error of several with one digest. */
const choice = v.object({
  type: v.pipe(
    v.picklist(['only', 'one-of', 'nearest']),
    v.description(
      '`only`: no other fits. `one-of`: several may, and `nearest`: none that is kept does; both are guesses.',
    ),
  ),
  isPathFound: v.pipe(v.boolean(), v.description('Whether one of that page is near that time.')),
  isPathKnown: v.pipe(
    v.boolean(),
    v.description(
      'Whether the page of all those near that time is known. Of errors of an app’s output only flights tell it.',
    ),
  ),
  isPastNear: v.pipe(v.boolean(), v.description('Errors that may be of that time were deleted.')),
  count: v.pipe(count, v.description('How many fit.')),
  isCut: v.pipe(v.boolean(), v.description('There may be more than were looked at.')),
  candidates: v.pipe(
    v.array(v.object({ id: v.string(), time, path: v.string(), page, self })),
    v.description('The nearest first, at most 50. The first is the answer.'),
  ),
});

const pastFault = v.object({
  id: v.string(),
  name: v.string(),
  message: v.string(),
  state: v.picklist(['open', 'resolved', 'snoozed', 'muted']),
  errors: v.pipe(count, v.description('Of the fault, under whatever digests.')),
  deleted: v.pipe(count, v.description('How many errors under this digest were deleted.')),
  firstTime: v.pipe(time, v.description('Of the first of them.')),
  lastTime: v.pipe(time, v.description('Of the latest of them.')),
  route: v.pipe(v.string(), v.description('Of the latest: the route’s pattern; empty where it is not known.')),
  release: v.pipe(v.string(), v.description('Of the latest; empty where it is not known.')),
  page,
  self,
});

/** What is known of a code. */
export const lookedUp = v.variant('type', [
  v.object({
    type: v.pipe(v.literal('error'), v.description('An error is stored under it.')),
    code: v.string(),
    otherApps,
    choice: v.pipe(
      v.nullable(choice),
      v.description('Where `at` or `path` was said and the digest names several errors; else null.'),
    ),
    details,
  }),
  v.object({
    type: v.pipe(
      v.literal('past'),
      v.description('Its row was deleted, because there was no more room or it was too old. Its fault is known.'),
    ),
    code: v.string(),
    digest: v.string(),
    app: v.string(),
    otherApps,
    faults: v.pipe(v.array(pastFault), v.description('Nearly always one; that of the latest first.')),
    page,
  }),
  v.object({
    type: v.pipe(
      v.literal('several-apps'),
      v.description(
        'Several apps told an error under it, and `app` was not said. Ask again with `self` of the one that is meant.',
      ),
    ),
    code: v.string(),
    apps: v.pipe(v.array(v.object({ ...holder, page, self })), v.description('The app that told it last comes first.')),
    page,
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
export type ErrorAnswer = v.InferOutput<typeof details>;
export type LookedUp = v.InferOutput<typeof lookedUp>;
export type NearDigestAnswer = v.InferOutput<typeof nearDigest>;
