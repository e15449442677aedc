import * as v from 'valibot';

import { details } from './errors.ts';
import { count, level, nextPage, page, receivedTime, self, side, time } from './values.ts';

const summary = {
  id: v.string(),
  app: v.string(),
  side: v.pipe(side, v.description('`browser`: nobody but browsers has reported it.')),
  name: v.string(),
  message: v.string(),
  culprit: v.string(),
  level,
  state: v.picklist(['open', 'resolved', 'snoozed', 'muted']),
  unseen: v.nullable(v.picklist(['new', 'regressed', 'woke'])),
  firstTime: receivedTime,
  lastTime: receivedTime,
  firstRelease: v.pipe(v.string(), v.description('The release, or the build, in which it was first seen.')),
  lastRelease: v.string(),
  errors: v.pipe(count, v.description('On servers; of a fault that only browsers report: their errors.')),
  untrusted: v.pipe(count, v.description('Errors of browsers.')),
  users: v.pipe(count, v.description('0 also where senders name no user.')),
  page,
  self,
};

const faultItem = v.object({
  ...summary,
  recent: v.pipe(v.object({ from: time, counts: v.array(count) }), v.description('Errors hour by hour, up to now.')),
  found: v.pipe(v.nullable(v.string()), v.description('Of a search: the key of the latest error that matches.')),
});

export const faultList = v.object({
  faults: v.array(faultItem),
  matching: v.pipe(count, v.description('How many match, on this page or not.')),
  untrustedLeftOut: v.pipe(
    count,
    v.description('How many more match that only browsers report; `side=any` lists them, too.'),
  ),
  total: v.pipe(count, v.description('How many faults there are, of the app or of all apps.')),
  searchedOnly: v.pipe(
    v.nullable(count),
    v.description('The words are in so many errors that only this many, the latest, were searched.'),
  ),
  trace: v.pipe(v.nullable(v.string()), v.description('The trace id that was searched for.')),
  next: nextPage,
  previous: v.pipe(v.nullable(v.string()), v.description('Path of the part before this one; null at the beginning.')),
  page,
});

const error = v.object({
  key: v.string(),
  side,
  time,
  digest: v.nullable(v.string()),
  path: v.string(),
  release: v.string(),
  environment: v.string(),
  level,
  user: v.nullable(v.string()),
  page,
});

export const faultDetails = v.object({
  ...summary,
  stateSince: time,
  stateDetails: v.pipe(
    v.nullable(v.string()),
    v.description('In which release it was resolved, or until when it is snoozed.'),
  ),
  kept: v.pipe(
    count,
    v.description('Errors whose rows are kept: of servers, or of browsers where only these told of it.'),
  ),
  grouping: v.pipe(
    v.array(
      v.object({
        fingerprint: v.string(),
        explanation: v.string(),
        parts: v.array(v.string()),
        count,
        lastTime: receivedTime,
      }),
    ),
    v.description('Why its errors are one fault, the most frequent fingerprint first.'),
  ),
  spread: v.pipe(
    v.array(
      v.object({
        name: v.string(),
        isTag: v.boolean(),
        values: v.array(v.object({ value: v.string(), count })),
        rest: count,
        without: count,
        of: count,
      }),
    ),
    v.description('How values are spread over the kept errors, the most frequent first.'),
  ),
  log: v.pipe(
    v.array(v.object({ time, type: v.string(), by: v.picklist(['system', 'operator']), isUndone: v.boolean() })),
    v.description('What happened to it, newest first, at most 100.'),
  ),
  latestErrors: v.pipe(
    v.array(error),
    v.description('The latest that are kept, at most 20: of servers, or of browsers where only these told of it.'),
  ),
  latest: v.pipe(v.nullable(details), v.description('The latest error, a server’s where one is kept.')),
});

export type FaultItem = v.InferOutput<typeof faultItem>;
export type FaultList = v.InferOutput<typeof faultList>;
export type FaultDetails = v.InferOutput<typeof faultDetails>;
