import type { ReactNode } from 'react';

import { countOf, formatCount } from '#flight';
import { mergeFaults } from '#src/faults/actions/merge-faults.ts';
import { triageFaults } from '#src/faults/actions/triage-faults.ts';
import { faultsPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultQuery, type FaultQuery } from './fault-query.ts';

/** In hours. */
const snoozes = [
  [1, 'for an hour'],
  [24, 'for a day'],
  [7 * 24, 'for a week'],
  [30 * 24, 'for 30 days'],
] as const;

type TriageFormProps = {
  readonly query: FaultQuery;
  /** On this page, and all that match. */
  readonly shown: number;
  readonly filtered: number;
  /** All that match, where they are chosen: at most as many as can be changed at once. */
  readonly ids: readonly string[];
  /** The list. */
  readonly children: ReactNode;
};

type ChooseProps = Pick<TriageFormProps, 'query' | 'shown' | 'filtered' | 'ids'>;

function ChooseLink({
  query,
  chosen,
  children,
}: Pick<ChooseProps, 'query'> & Pick<FaultQuery, 'chosen'> & { children: string }) {
  return (
    <Link to={`${faultsPath}${formatFaultQuery({ ...query, chosen })}`} scroll={false}>
      {children}
    </Link>
  );
}

/** Links, so that many are chosen at once without JavaScript. */
function Choose({ query, shown, filtered, ids }: ChooseProps) {
  return (
    <p className="flex flex-wrap gap-x-[0.9rem] gap-y-[0.1rem] max-w-none text-quiet text-[0.8125rem] leading-7">
      {query.chosen === 'all' ? (
        <strong>
          {ids.length < filtered
            ? `The first ${formatCount(ids.length)} of ${formatCount(filtered)} that match are chosen.`
            : `All ${countOf(ids.length, 'fault')} that match are chosen.`}
        </strong>
      ) : (
        <span>Choose</span>
      )}
      {query.chosen === 'page' ? null : (
        <ChooseLink query={query} chosen="page">
          {filtered > shown ? `the ${shown} on this page` : `all ${shown}`}
        </ChooseLink>
      )}
      {query.chosen === 'all' || filtered <= shown ? null : (
        <ChooseLink query={query} chosen="all">{`all ${formatCount(filtered)} that match`}</ChooseLink>
      )}
      {query.chosen === undefined ? null : (
        <ChooseLink query={query} chosen={undefined}>
          none
        </ChooseLink>
      )}
    </p>
  );
}

/** The form around the list: what is ticked is resolved, snoozed, muted, opened again or merged. It works without JavaScript. */
export function TriageForm({ query, shown, filtered, ids, children }: TriageFormProps) {
  return (
    <form action={triageFaults} aria-label="Triage" className="ticked">
      <input type="hidden" name="back" value={`${faultsPath}${formatFaultQuery({ ...query, chosen: undefined })}`} />
      {/* One field for all of them: a form has at most a thousand. */}
      {query.chosen === 'all' ? <input type="hidden" name="fault" value={ids.join(',')} /> : null}
      <Choose {...{ query, shown, filtered, ids }} />
      <fieldset className="ticked-bar triage-bar">
        <legend className="sr-only">What to do with the chosen faults</legend>
        <button type="submit" name="to" value="resolve" className="button-small">
          Resolve
        </button>
        <button
          type="submit"
          name="to"
          value="resolve-next"
          className="button-small"
          title="A release that is not known yet has the fix"
        >
          Resolve in next release
        </button>
        <span className="triage-snooze">
          <button type="submit" name="to" value="snooze" className="button-small">
            Snooze
          </button>
          <select name="hours" aria-label="Snooze for how long" defaultValue="24">
            {snoozes.map(([hours, text]) => (
              <option key={hours} value={hours}>
                {text}
              </option>
            ))}
          </select>
        </span>
        <button type="submit" name="to" value="mute" className="button-small">
          Mute
        </button>
        <button type="submit" name="to" value="open" className="button-small">
          Reopen
        </button>
        <button
          type="submit"
          formAction={mergeFaults}
          className="button-small"
          title="Two or more become one fault: the oldest"
        >
          Merge
        </button>
      </fieldset>
      {children}
    </form>
  );
}
