import type { LearntAt } from './exchange/describe-exchange.ts';
import type { ReportedUse, UsageNote } from './flight-writer.ts';
import {
  guessedAmong,
  guessedWithinMs,
  idMatches,
  isEither,
  isNotToldUsed,
  mayBePrefetch,
  rememberIn,
  type Prepare,
} from './prepare.ts';

/**
 * What is learnt of a flight after it was written: whether a prefetch was used, which link asked for it, how fast its page was. The
 * order of an app's requests says some of it. With `--browser` its pages say all of it, and that replaces the guess.
 */

/** Prefetches that a browser reported as used before they were written. */
const usedAhead = 1_000;

/**
 * A page has told that a click was its own. Then what was guessed of other tabs from that click's requests is not so: it is unknown, until
 * they tell. Among the latest flights alone, since a click is told a second later.
 */
const doubtGuesses = `update flight set used_at = null
  where id > (select max(id) from flight) - ${guessedAmong} and app = ?3 and source = 'proxy' and kind = 'prefetch'
    and told_at is null and used_at >= ?1 and path in (select value from json_each(?2))`;

function readPaths(prepare: Prepare, ids: readonly string[]): readonly unknown[] {
  const find = prepare(`select path from flight where ${idMatches('request_id', '?1')}`);
  return ids.flatMap((id) => find.get(id)?.['path'] ?? []);
}

/** What the order of requests shows of prefetches. */
export function noteLearnt(prepare: Prepare, learnt: LearntAt): void {
  const set = (column: string, ids: readonly string[], value: number | null, where: string) => {
    for (const id of ids) {
      prepare(
        `update flight set ${column} = ?1 where ${idMatches('request_id', '?2')} and source = 'proxy' and told_at is null and ${where}`,
      ).run(value, id);
    }
  };
  set('used_at', learnt.used, learnt.at, 'used_at is null');
  set('used_at', learnt.doubtful, null, 'used_at is not null');
  set('closed_at', learnt.unused, learnt.at, 'closed_at is null');
}

/** It may think better of it: a page that was left can come back. */
function noteReported(prepare: Prepare, told: ReportedUse, time: number): void {
  const { app, used: shown, unused, clicks, links, vitals } = told;
  const set = (values: string, ids: readonly string[], where: string) => {
    for (const id of ids) {
      prepare(
        `update flight set ${values}, told_at = ?1
        where ${idMatches('request_id', '?2')} and ${where} and source = 'proxy' and app = ?3`,
      ).run(time, id, app);
    }
  };
  set("kind = 'prefetch', used_at = ?1, closed_at = null", shown, mayBePrefetch);
  if (shown.length > 0) {
    prepare(doubtGuesses).run(time - guessedWithinMs, JSON.stringify(readPaths(prepare, shown)), app);
  }
  set("kind = 'prefetch', used_at = null, closed_at = ?1", unused, `${mayBePrefetch} and ${isNotToldUsed}`);
  set("kind = 'navigation', used_at = null", clicks, isEither);
  // The first counts: a browser's cache gives the same flight to other documents, which report it for their own links.
  for (const { id, trigger, text, place } of links) {
    prepare(
      `update flight set prefetch_trigger = ?1, link_text = ?2, link_place = ?3
      where ${idMatches('request_id', '?4')} and ${mayBePrefetch} and link_place is null and source = 'proxy' and app = ?5`,
    ).run(trigger, text, place, id, app);
  }
  if (!vitals) return;
  prepare(
    `update flight set vitals_json = ?1 where ${idMatches('request_id', '?2')} and kind = 'document' and app = ?3`,
  ).run(JSON.stringify(vitals.vitals), vitals.id, app);
}

/** @param ahead what was used before it is written, filled here */
export function noteUsage(prepare: Prepare, notes: readonly UsageNote[], ahead: Map<string, number>): void {
  for (const { time, used, closedTrace, told } of notes) {
    if (told) noteReported(prepare, told, time);
    for (const id of used) {
      const { changes } = prepare(
        `update flight set used_at = ?1 where ${idMatches('request_id', '?2')} and kind = 'prefetch' and used_at is null`,
      ).run(time, id);
      if (changes === 0) rememberIn(ahead, id, time, usedAhead);
    }
    if (closedTrace === undefined) continue;
    prepare(
      `update flight set closed_at = ?1
      where ${idMatches('trace_id', '?2')} and kind = 'prefetch' and used_at is null and closed_at is null`,
    ).run(time, closedTrace);
  }
}
