import { undoTurns } from '#src/actions/undo-turns.ts';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import { faultPath } from '#src/http/addresses.ts';
import type { FaultDetails, FaultTurn } from '#src/reports/faults/find-fault-page.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeTurn } from './describe-turn.ts';

/** The form's field: several turns are one thing where faults were merged or split, else this one alone. */
type Undo = { readonly name: 'batch' | 'turn'; readonly value: string; readonly back: string };

type TurnProps = {
  readonly fault: FaultDetails;
  readonly turn: FaultTurn;
  readonly undo: Undo | undefined;
  readonly now: number;
};

function Turn({ fault, turn, undo, now }: TurnProps) {
  const { time, type, by, occurrence, undone } = turn;
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-1">
      <span className={undone === null ? 'min-w-0' : 'min-w-0 text-quiet line-through'}>
        {describeTurn(turn)}
        {by === 'operator' ? ' by the operator' : ''}
      </span>
      {undone === null ? null : <span className="text-quiet">undone</span>}
      <span className="flex flex-wrap items-baseline gap-x-3">
        {occurrence === null ? null : (
          <Link to={faultPath(fault.id, occurrence)} prefetch="intent" aria-label={`Its occurrence: ${type}`}>
            occurrence
          </Link>
        )}
        <Moment time={time} now={now} isDense />
      </span>
      {undo === undefined ? null : (
        <form action={undoTurns} className="basis-full">
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

function isMove({ type }: FaultTurn): boolean {
  return type === 'merged' || type === 'split';
}

/** Merging and splitting note what they keep open as seen, too. That is no thing of its own that somebody did. */
function withoutNoted(turns: readonly FaultTurn[]): readonly FaultTurn[] {
  const moves = new Set(turns.filter(isMove).map(({ batch }) => batch));
  return turns.filter(({ type, batch }) => type !== 'noted' || !moves.has(batch));
}

/** What would be undone: the latest thing that the operator did, unless something came since. */
function findUndo(
  turns: readonly FaultTurn[],
  back: string,
): { readonly turn: string; readonly undo: Undo } | undefined {
  const latest = turns.find(({ undone }) => undone === null);
  if (!latest || latest.batch === null) return undefined;
  const { id, batch } = latest;
  const moves = turns.some((turn) => turn.batch === batch && isMove(turn));
  return { turn: id, undo: moves ? { name: 'batch', value: batch, back } : { name: 'turn', value: id, back } };
}

/** What happened to it, newest first. The latest thing that the operator did can be undone; what was undone is in a fold. */
export function FaultTurns({ fault, back, now }: { fault: FaultDetails; back: string; now: number }) {
  const turns = withoutNoted(fault.turns);
  const undoable = findUndo(turns, back);
  const undone = turns.filter((turn) => turn.undone !== null);
  return (
    <Panel title="What happened to it">
      <ol className="list-none text-sm">
        {turns.map((turn) =>
          turn.undone === null ? (
            <Turn
              key={turn.id}
              fault={fault}
              turn={turn}
              undo={turn.id === undoable?.turn ? undoable.undo : undefined}
              now={now}
            />
          ) : null,
        )}
      </ol>
      {undone.length === 0 ? null : (
        <details>
          <summary className="text-sm">{undone.length} undone</summary>
          <ol className="list-none text-sm">
            {undone.map((turn) => (
              <Turn key={turn.id} fault={fault} turn={turn} undo={undefined} now={now} />
            ))}
          </ol>
        </details>
      )}
    </Panel>
  );
}
