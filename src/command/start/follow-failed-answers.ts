import 'server-only';

import {
  listRecordedApps,
  readCarryingAnswers,
  readFailedAnswers,
  readIdBack,
  readNewestFlight,
} from '#src/flights/recorder/read-failed-answers.ts';
import { storeUnexplained } from '#src/faults/unexplained/store-unexplained.ts';

import { repeatLook } from './repeat-look.ts';

/**
 * Looks at the answers of other apps that failed, some seconds after each: by then the app has told why, or nobody has. It reads
 * what proxies recorded, so it does not matter in which process a proxy is, nor on which server.
 *
 * Each app is looked at by itself: of one that fails faster than it can be read only its own answers wait.
 */
const lookEveryMs = 1_000;
/** A reporter sends at once, an SDK when its request is over, and the log's reader after a second. Flights commit out of turn by less. */
const graceMs = 5_000;
/** What the server before this one did not get to: a restart and a lease's end take seconds, an upgrade minutes. */
const lookBackMs = 10 * 60_000;
/** Of one app. */
const flightsLookedBack = 10_000;
/** An error explains an answer five seconds before it, or after it. */
const aroundMs = 3 * graceMs;
/** Of one app, before those that are looked at: with these, as many as are read at once. */
const flightsAround = 250;

type Look = { readonly upTo: number; readonly newest: number; readonly since: number; readonly now: number };

/** @returns up to which flight the app was looked at; undefined while there is no room */
async function lookAt(app: string, after: number, { upTo, newest, since, now }: Look): Promise<number | undefined> {
  const { answers, upTo: read } = await readFailedAnswers(app, after, upTo, since);
  if (answers.length > 0) {
    const from = await readIdBack(app, flightsAround, after);
    const [near, carrying] = await Promise.all([
      readFailedAnswers(app, from, newest, now - aroundMs),
      readCarryingAnswers(app, from, newest, Math.max(since, now - lookBackMs)),
    ]);
    const stored = await storeUnexplained(app, answers, { around: near.answers, carrying, now });
    if (stored === undefined) return undefined;
  }
  return read;
}

/** @returns one look, to be repeated; looks do not overlap */
export function createFollower(): (now: number) => Promise<void> {
  /** By app: the last flight that was looked at. */
  const lookedAt = new Map<string, number>();
  /** Of all apps. */
  let done = 0;
  let last: number | undefined;
  let since = 0;
  /** The newest flight at earlier looks: those of the last seconds, and one before. */
  let seen: readonly { readonly at: number; readonly newest: number }[] = [];

  return async function look(now) {
    const newest = await readNewestFlight();
    // At the start, and after the recording was emptied.
    if (last === undefined || newest < last) {
      lookedAt.clear();
      done = 0;
      since = now - lookBackMs;
      seen = [];
    }
    last = newest;
    if (seen.at(-1)?.newest !== newest) seen = [...seen, { at: now, newest }];
    const upTo = seen.findLast(({ at }) => now - at >= graceMs)?.newest;
    if (upTo === undefined) return;
    seen = seen.filter((one) => one.newest >= upTo);
    if (upTo <= done) return;
    let isDone = true;
    for (const app of await listRecordedApps()) {
      const after = lookedAt.get(app) ?? (await readIdBack(app, flightsLookedBack));
      const read = upTo > after ? await lookAt(app, after, { upTo, newest, since, now }) : after;
      if (read === undefined) return;
      lookedAt.set(app, read);
      isDone &&= read >= upTo;
    }
    if (isDone) done = upTo;
  };
}

/** @returns what ends it */
export function followFailedAnswers(isHeld: () => boolean): () => Promise<void> {
  const follow = createFollower();
  return repeatLook({ look: () => follow(Date.now()), everyMs: lookEveryMs, event: 'failed-answers-not-read' }, isHeld);
}
