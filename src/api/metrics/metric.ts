import 'server-only';

import type { Observed } from '#src/server/http/histogram.ts';

/**
 * One metric of `/metrics`: its name after Prometheus' conventions (https://prometheus.io/docs/practices/naming/) and what it is
 * when somebody asks. docs/metrics.md lists all of them.
 *
 * `of`: `process` counts what this process has done, so a sum over instances is right. `shared` reads what all instances share (the
 * database, the recording): each tells the same, so a sum would be wrong, and HELP says so.
 */
type Common<Label extends string> = {
  readonly name: `flight_recorder_${string}`;
  readonly help: string;
  readonly of: 'process' | 'shared';
  readonly labels: readonly Label[];
};

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };
export type Observation = { readonly labels: Readonly<Record<string, string>>; readonly observed: Observed };

export type Metric = Common<string> &
  (
    | { readonly type: 'counter' | 'gauge'; readonly read: () => readonly Sample[] | Promise<readonly Sample[]> }
    | { readonly type: 'histogram'; readonly read: () => readonly Observation[] }
  );

const sharedNote = 'The same from every instance: do not add them up.';

export function describeMetric({ help, of }: Metric): string {
  return of === 'shared' ? `${help} ${sharedNote}` : help;
}

/** One value without a label; none while it is not known. */
export function single(value: number | undefined): readonly Sample[] {
  return value === undefined || Number.isNaN(value) ? [] : [{ labels: {}, value }];
}
