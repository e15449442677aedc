import * as v from 'valibot';

import { spanKinds } from '#flight';

import { count, milliseconds } from './values.ts';

const own = v.pipe(milliseconds, v.description('Milliseconds of its own, which none of the spans within it covers.'));

/** What a server did while it answered. */
export const serverTime = v.object({
  tellers: v.pipe(
    v.array(v.picklist(['code', 'opentelemetry'])),
    v.description('Who told it: the app’s own timed components, its OpenTelemetry.'),
  ),
  movedMs: v.pipe(
    milliseconds,
    v.description('By how much the times were moved, where the app’s clock is another one: a guess. Else 0.'),
  ),
  spans: v.pipe(
    v.array(
      v.object({
        name: v.string(),
        kind: v.picklist(spanKinds),
        place: v.pipe(v.nullable(v.string()), v.description('Where it is written: file and line.')),
        atMs: v.pipe(milliseconds, v.description('Milliseconds since the flight began; may be negative.')),
        ms: milliseconds,
        ownMs: own,
        depth: v.pipe(count, v.description('How many spans it is within. Those within a span follow it.')),
        hasFailed: v.boolean(),
        isOpen: v.pipe(v.boolean(), v.description('It went on when the answer ended.')),
        isFree: v.pipe(
          v.boolean(),
          v.description('Of a wait: it uses nothing that its component got before, as far as its code shows.'),
        ),
      }),
    ),
    v.description('In the order in which they began, the longest 200.'),
  ),
  left: v.pipe(count, v.description('How many shorter ones are left out.')),
  findings: v.array(
    v.object({
      kind: v.picklist(['holds-shell', 'longest', 'in-turn', 'waits-in-turn', 'repeated']),
      title: v.pipe(v.string(), v.description('What the times show.')),
      guess: v.pipe(
        v.string(),
        v.description('What the times suggest and do not prove; empty where nothing is guessed.'),
      ),
      advice: v.pipe(v.string(), v.description('What can be done, with its condition; empty where nothing follows.')),
      ms: milliseconds,
    }),
  ),
});
