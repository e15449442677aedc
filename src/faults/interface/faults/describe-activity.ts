import { countOf } from '#flight';
import { formatUtc } from '#src/ui/format-time.ts';
import type { FaultActivity } from '#src/faults/grouping/find-fault-page.ts';
import type { FaultState } from '#src/faults/grouping/fault-state.ts';

/** `Resolved in release 42`, `Snoozed until it occurs 100 times within an hour`. */
export function describeState(state: FaultState): string {
  switch (state.type) {
    case 'open':
      return 'Open';
    case 'muted':
      return 'Muted';
    case 'resolved':
      return state.in.type === 'now'
        ? 'Resolved'
        : `Resolved in ${state.in.type === 'release' ? `release ${state.in.release}` : 'the next release'}`;
    case 'snoozed': {
      const { until } = state;
      if (until.type === 'time') return `Snoozed until ${formatUtc(until.time)}`;
      return `Snoozed until it occurs ${countOf(until.count, 'time')} within ${until.hours === 1 ? 'an hour' : `${until.hours} hours`}`;
    }
  }
}

type Told = Pick<FaultActivity, 'type' | 'detail' | 'state'>;

function readText({ detail }: Told, name: string): string | undefined {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function countMoved({ detail: { moved } }: Told): number {
  return Array.isArray(moved) ? moved.length : 0;
}

function describeMerge(activity: Told): string {
  const into = readText(activity, 'into');
  if (into !== undefined) return `Merged into ${into}`;
  const count = countMoved(activity);
  return count === 0 ? 'Merged' : `Took over ${countOf(count, 'other fault')}`;
}

function describeSplit(activity: Told): string {
  const trait = readText(activity, 'trait');
  if (trait !== undefined) return `Split by its ${trait}s`;
  const from = readText(activity, 'from');
  return from === undefined ? 'Some of its fingerprints were split off' : `Split off from ${from}`;
}

/** What happened, in a few words. */
export function describeActivity(activity: Told): string {
  const release = readText(activity, 'release');
  switch (activity.type) {
    case 'first-seen':
      return 'First seen';
    case 'regressed':
      return release === undefined ? 'Regressed' : `Regressed with release ${release}`;
    case 'woke':
      return 'Back from its snooze';
    case 'confirmed':
      return 'Reopened: a server had what only browsers had reported';
    case 'resolved':
    case 'snoozed':
    case 'muted':
      return activity.state ? describeState(activity.state) : activity.type;
    case 'reopened':
      return 'Reopened';
    case 'merged':
      return describeMerge(activity);
    case 'split':
      return describeSplit(activity);
    case 'noted':
      return 'Noted';
  }
}
