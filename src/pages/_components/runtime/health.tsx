import './health.css';

import { countOf, formatCount } from '#flight';
import { appsPath, flightsPath, notKeptPath } from '#src/server/http/addresses.ts';
import type { LoadLevel } from '#src/server/http/load-level.ts';
import type { DropCounts } from '#src/flights/flight/drops.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** What this page reads to say whether the recorder is well. */
export type HealthFacts = {
  readonly isDatabaseAway: boolean;
  /** Why nothing can be written; undefined while it can. */
  readonly notWritable: string | undefined;
  /** Server errors of this process that only its log has. */
  readonly unstoredErrors: number;
  /** Since the start, of all apps; undefined where there is no recorder. */
  readonly drops: DropCounts | undefined;
  readonly isRecordingOff: boolean;
  readonly load: LoadLevel;
  /** Servers that were not heard of, and did not say that they stop. */
  readonly goneInstances: number;
  /** Requests of senders that were refused. */
  readonly refused: number;
};

type Ill = { readonly says: string; readonly to?: string; readonly link?: string };

function sum(drops: DropCounts): number {
  return Object.values(drops).reduce((all, count) => all + count, 0);
}

function describeLoad(load: Exclude<LoadLevel, 'calm'>): string {
  return load === 'no-reports'
    ? 'The server is so busy that it turns reports away.'
    : 'The server is so busy that it turns pages and reports away.';
}

/** What is not well now, the worst first. */
export function listIll(facts: HealthFacts): readonly Ill[] {
  const { isDatabaseAway, notWritable, unstoredErrors, drops, isRecordingOff, load, goneInstances, refused } = facts;
  const lost = drops ? sum(drops) : 0;
  return [
    ...(isDatabaseAway ? [{ says: 'The database does not answer. What comes is kept on disk until it does.' }] : []),
    ...(notWritable === undefined ? [] : [{ says: `Nothing can be written: ${notWritable}.` }]),
    ...(drops === undefined ? [{ says: 'There is no recorder in this process: no flight is kept.' }] : []),
    ...(load === 'calm' ? [] : [{ says: describeLoad(load) }]),
    ...(unstoredErrors > 0
      ? [{ says: `${countOf(unstoredErrors, 'error')} could not be written since the start: only the log has them.` }]
      : []),
    ...(lost > 0
      ? [{ says: `${countOf(lost, 'flight')} were lost since the start.`, to: flightsPath, link: 'Why' }]
      : []),
    ...(goneInstances > 0
      ? [{ says: `${countOf(goneInstances, 'server')} stopped without saying so, in the last ten minutes.` }]
      : []),
    ...(refused > 0
      ? [
          {
            says: `${formatCount(refused)} ${refused === 1 ? 'request' : 'requests'} of senders refused: a wrong key, too much, or not readable.`,
            to: appsPath,
            link: 'Which apps',
          },
        ]
      : []),
    ...(isRecordingOff ? [{ says: 'Recording is off: no flight is kept.', to: notKeptPath, link: 'Not kept' }] : []),
  ];
}

/** What is not well now, before anything else that this page says. */
export function Health({ facts }: { facts: HealthFacts }) {
  const ill = listIll(facts);
  if (ill.length === 0) {
    return (
      <p className="health health-well">
        All is well: errors and flights are written, and nothing was lost or refused.
      </p>
    );
  }
  return (
    <ul className="stack-2 list-none">
      {ill.map(({ says, to, link }) => (
        <li key={says} className="health">
          <span>
            {says}
            {to === undefined ? null : (
              <>
                {' '}
                <Link to={to} prefetch="intent">
                  {link}
                </Link>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
