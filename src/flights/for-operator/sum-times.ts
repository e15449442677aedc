import 'server-only';

import type { PlacedSpan, ServerTime } from '#flight';

import { readPercentile } from './percentile.ts';

/**
 * What the answers of a route spend their time on: spans of the same name together, each with its own time, which none of those within it
 * covers. So nothing is counted twice, and what goes on at the same time is counted once for each.
 */
export type SummedSpan = {
  readonly name: string;
  readonly kind: PlacedSpan['kind'];
  /** In how many of the answers it was. */
  readonly answers: number;
  /** How often in all of them. */
  readonly times: number;
  /** Milliseconds of its own in an answer that has it. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly totalMs: number;
};

/** As many lines as somebody compares. */
const shown = 12;

type Group = {
  readonly name: string;
  readonly kind: PlacedSpan['kind'];
  times: number;
  readonly ofAnswers: Map<ServerTime, number>;
};

/** The largest sums first. */
export function sumTimes(answers: readonly ServerTime[]): SummedSpan[] {
  const groups = new Map<string, Group>();
  for (const answer of answers) {
    for (const { name, kind, ownMs } of answer.spans) {
      const key = `${kind} ${name}`;
      const group = groups.get(key) ?? { name, kind, times: 0, ofAnswers: new Map<ServerTime, number>() };
      groups.set(key, group);
      group.times += 1;
      group.ofAnswers.set(answer, (group.ofAnswers.get(answer) ?? 0) + ownMs);
    }
  }
  const sums = Array.from(groups.values(), ({ name, kind, times, ofAnswers }) => {
    const sorted = [...ofAnswers.values()].toSorted((a, b) => a - b);
    const totalMs = sorted.reduce((sum, ms) => sum + ms, 0);
    const [p50Ms, p95Ms] = [readPercentile(sorted, 0.5), readPercentile(sorted, 0.95)];
    return { name, kind, answers: sorted.length, times, p50Ms, p95Ms, totalMs };
  });
  return sums.toSorted((a, b) => b.totalMs - a.totalMs).slice(0, shown);
}
