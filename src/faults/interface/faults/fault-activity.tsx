import { undoActivities } from '#src/faults/actions/undo-activities.ts';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { faultPath } from '#src/server/http/addresses.ts';
import type { FaultDetails, FaultActivity } from '#src/faults/grouping/find-fault-page.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeActivity } from './describe-activity.ts';

/** The form's field: several activities are one thing where faults were merged or split, else this one alone. */
type Undo = { readonly name: 'batch' | 'activity'; readonly value: string; readonly back: string };

type ActivityProps = {
  readonly fault: FaultDetails;
  readonly activity: FaultActivity;
  readonly undo: Undo | undefined;
  readonly now: number;
};

function Activity({ fault, activity, undo, now }: ActivityProps) {
  const { time, type, by, error, undone } = activity;
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-1">
      <span className={undone === null ? 'min-w-0' : 'min-w-0 text-quiet line-through'}>
        {describeActivity(activity)}
        {by === 'operator' ? ' by the operator' : ''}
      </span>
      {undone === null ? null : <span className="text-quiet">undone</span>}
      <span className="flex flex-wrap items-baseline gap-x-3">
        {error === null ? null : (
          <Link to={faultPath(fault.id, error)} prefetch="intent" aria-label={`Its error: ${type}`}>
            error
          </Link>
        )}
        <Moment time={time} now={now} isDense />
      </span>
      {undo === undefined ? null : (
        <form action={undoActivities} className="basis-full">
          <input type="hidden" name={undo.name} value={undo.value} />
          <input type="hidden" name="back" value={undo.back} />
          <button type="submit" className="button-small">
            Undo
          </button>
        </form>
      )}
    </li>
  );
}

function isMove({ type }: FaultActivity): boolean {
  return type === 'merged' || type === 'split';
}

/** Merging and splitting note what they keep open as seen, too. That is no thing of its own that somebody did. */
function withoutNoted(activities: readonly FaultActivity[]): readonly FaultActivity[] {
  const moves = new Set(activities.filter(isMove).map(({ batch }) => batch));
  return activities.filter(({ type, batch }) => type !== 'noted' || !moves.has(batch));
}

/** What would be undone: the latest thing that the operator did, unless something came since. */
function findUndo(
  activities: readonly FaultActivity[],
  back: string,
): { readonly activity: string; readonly undo: Undo } | undefined {
  const latest = activities.find(({ undone }) => undone === null);
  if (!latest || latest.batch === null) return undefined;
  const { id, batch } = latest;
  const moves = activities.some((activity) => activity.batch === batch && isMove(activity));
  return { activity: id, undo: moves ? { name: 'batch', value: batch, back } : { name: 'activity', value: id, back } };
}

/** What happened to it, newest first. The latest thing that the operator did can be undone; what was undone is in a fold. */
export function FaultActivities({ fault, back, now }: { fault: FaultDetails; back: string; now: number }) {
  const activities = withoutNoted(fault.activities);
  const undoable = findUndo(activities, back);
  const undone = activities.filter((activity) => activity.undone !== null);
  return (
    <Panel title="What happened to it">
      <ol className="list-none text-sm">
        {activities.map((activity) =>
          activity.undone === null ? (
            <Activity
              key={activity.id}
              fault={fault}
              activity={activity}
              undo={activity.id === undoable?.activity ? undoable.undo : undefined}
              now={now}
            />
          ) : null,
        )}
      </ol>
      {undone.length === 0 ? null : (
        <details>
          <summary className="text-sm">{undone.length} undone</summary>
          <ol className="list-none text-sm">
            {undone.map((activity) => (
              <Activity key={activity.id} fault={fault} activity={activity} undo={undefined} now={now} />
            ))}
          </ol>
        </details>
      )}
    </Panel>
  );
}
