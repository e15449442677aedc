import { formatCount, type Flight, type Hole } from '#flight';

import { formatPosition, type Arrival } from '../arrival.ts';
import type { PanelProps } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import type { UnderstoodState } from '../use-understood.ts';
import { readLongestWait, type Waits } from './row-waits.ts';
import { tellRequest } from './waterfall-lane.tsx';

type WaitWordsProps = Pick<PanelProps, 'onSelect'> & {
  readonly flight: Flight;
  readonly arrival: Arrival;
  readonly understood: UnderstoodState;
  readonly waits: Waits | undefined;
};

/** What was waited for, in a sentence: the same waits as in the findings. */
export function WaitWords({ flight, arrival, understood, waits, onSelect }: WaitWordsProps) {
  const findings = understood.kind === 'known' ? understood.understood.findings : [];
  // No wait, and yet what came last: without it a late bar has no words.
  const promise = findings.find(({ kind }) => kind === 'promise');
  return (
    <p className="min-w-0 flex-1 basis-64 text-sm">
      {understood.kind === 'counting' ? 'Counting what was waited for …' : null}
      {understood.kind === 'failed' ? `What was waited for could not be counted: ${understood.reason}` : null}
      {waits ? <Words flight={flight} arrival={arrival} waits={waits} onSelect={onSelect} /> : null}
      {waits && promise ? ` ${promise.title}` : null}
    </p>
  );
}

function countHoles(holes: readonly Hole[]): string {
  const boundaries = holes.filter(({ boundary }) => boundary).length;
  const many = boundaries === 1 ? 'One Suspense boundary' : `${formatCount(boundaries)} Suspense boundaries`;
  if (boundaries === holes.length) return many;
  return boundaries === 0 ? 'The page' : `The page and ${many.charAt(0).toLowerCase()}${many.slice(1)}`;
}

/** Client code between a boundary and its row may show something else: then nobody knows whether it waited. */
function tellWaited(holes: readonly Hole[]): string {
  const isSure = holes.every(({ around }) => around.kind === 'none');
  return isSure ? ' waited noticeably, for ' : ' may have waited noticeably, for ';
}

function Words({ flight, arrival, waits, onSelect }: Omit<WaitWordsProps, 'understood' | 'waits'> & { waits: Waits }) {
  const { holes, rows } = waits;
  const never = holes.reduce((sum, hole) => sum + hole.rows.filter(({ row }) => row === undefined).length, 0);
  const isTimed = arrival.unit === 'ms';
  if (rows.length === 0 && never === 0) {
    return isTimed
      ? 'Nothing came noticeably later than what waited for it.'
      : 'Nothing stands far behind what waits for it.';
  }
  const [longest] = holes
    .flatMap((hole) => ({ hole, ...readLongestWait(flight, arrival, hole) }))
    .toSorted((a, b) => (b.wait ?? 0) - (a.wait ?? 0));
  const late = rows.length === 0 ? '' : rows.length === 1 ? 'one row' : `${formatCount(rows.length)} rows`;
  const missing = never === 0 ? '' : never === 1 ? 'one that never came' : `${formatCount(never)} that never came`;
  return (
    <>
      {countHoles(holes)}
      {isTimed ? tellWaited(holes) : holes.length === 1 ? ' waits for ' : ' wait for '}
      {[late, missing].filter(Boolean).join(' and ')}
      {isTimed || rows.length === 0 ? '.' : ' further on in the payload.'}
      {longest?.row === undefined || longest.wait === undefined || rows.length === 0 ? null : (
        <>
          {' '}
          {isTimed ? 'Longest' : 'Furthest'}: {longest.hole.name}, {formatPosition(arrival.unit, longest.wait)},{' '}
          {isTimed ? 'until' : 'to'} row <RowLink flight={flight} row={longest.row} onSelect={onSelect} />
          {tellRequest(waits.byRow.get(longest.row)?.request)}
        </>
      )}
    </>
  );
}
