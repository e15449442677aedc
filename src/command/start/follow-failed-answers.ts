import 'server-only';

import { readCarryingAnswers, readFailedAnswers, readNewestFlight } from '#src/flights/recorder/read-failed-answers.ts';
import { storeUnexplained } from '#src/faults/unexplained/store-unexplained.ts';

import { repeatLook } from './repeat-look.ts';

/**
 * Looks at the answers of other apps that failed, some seconds after each: by then the app has told why, or nobody has. It reads
 * what proxies recorded, so it does not matter in which process a proxy is, nor on which server.
 */
const lookEveryMs = 1_000;
/** A reporter sends at once, an SDK when its request is over, and the log's reader after a second. Flights commit out of turn by less. */
const graceMs = 5_000;
/** What the server before this one did not get to: a restart and a lease's end take seconds, an upgrade minutes. */
const lookBackMs = 10 * 60_000;
const flightsLookedBack = 10_000;
/** An error explains an answer five seconds before it, or after it. */
const aroundMs = 3 * graceMs;
/** As many as are read at once. */
const flightsAround = 250;

/** @returns one look, to be repeated; looks do not overlap */
export function createFollower(): (now: number) => Promise<void> {
  let after: number | undefined;
  let since = 0;
  /** The newest flight at earlier looks: those of the last seconds, and one before. */
  let seen: readonly { readonly at: number; readonly newest: number }[] = [];

  return async function look(now) {
    const newest = await readNewestFlight();
    if (after === undefined || newest < after) {
      after = Math.max(0, newest - flightsLookedBack);
      since = now - lookBackMs;
      seen = [];
    }
    if (seen.at(-1)?.newest !== newest) seen = [...seen, { at: now, newest }];
    const upTo = seen.findLast(({ at }) => now - at >= graceMs)?.newest;
    if (upTo === undefined) return;
    seen = seen.filter((one) => one.newest >= upTo);
    if (upTo <= after) return;
    const from = Math.max(0, after - flightsAround);
    const [read, near, carrying] = await Promise.all([
      readFailedAnswers(after, upTo, since),
      readFailedAnswers(from, newest, now - aroundMs),
      readCarryingAnswers(from, newest, Math.max(since, now - lookBackMs)),
    ]);
    const { answers } = read;
    const stored = answers.length === 0 ? 0 : await storeUnexplained(answers, near.answers, carrying, now);
    if (stored === undefined) return;
    after = read.upTo;
  };
}

/** @returns what ends it */
export function followFailedAnswers(isHeld: () => boolean): () => Promise<void> {
  const follow = createFollower();
  return repeatLook({ look: () => follow(Date.now()), everyMs: lookEveryMs, event: 'failed-answers-not-read' }, isHeld);
}
