import type { ReactNode } from 'react';

import { type Flight, type Halt, findRow, countRowsWithin, formatCount } from '#flight';

import type { PanelProps, Place } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { useUnderstood } from '../use-understood.ts';

type FlightStateWordsProps = { readonly flight: Flight; readonly onSelect: (place: Place) => void };

/** How many ids are named before the list is cut. */
const maxNamed = 8;

function nameRows(pending: readonly number[]): string {
  const names = pending.slice(0, maxNamed).map((id) => id.toString(16));
  return names.join(', ') + (pending.length > maxNamed ? ', …' : '');
}

function countRows(count: number): string {
  return count === 1 ? 'one promised row' : `${formatCount(count)} promised rows`;
}

type Words = { readonly mark: 'good' | 'cut' | 'bad'; readonly title: string; readonly text: ReactNode };

/** The row that has this byte, or would have it. */
function rowAt(flight: Flight, offset: number): number {
  return Math.min(countRowsWithin(flight, offset), flight.rows.count - 1);
}

function LastRow({ flight, at, onSelect }: FlightStateWordsProps & { at: number }) {
  if (flight.rows.count === 0) return null;
  return (
    <>
      {' '}
      Around there: row <RowLink flight={flight} row={rowAt(flight, at)} onSelect={onSelect} />.
    </>
  );
}

const haltWords = {
  'by-design': {
    mark: 'good',
    title: 'Complete, with holes by design',
    says: 'That is normal for a prefetch and for a prerendered shell: another request brings them.',
  },
  cut: { mark: 'bad', title: 'Cut off between two rows', says: 'The response did not come to its end.' },
  unknown: {
    mark: 'cut',
    title: 'Stopped early',
    says: 'A prerender that was stopped by design looks the same as a connection cut exactly there.',
  },
} as const satisfies Record<Exclude<Halt, 'kept-in-part'>, Pick<Words, 'mark' | 'title'> & { readonly says: string }>;

function readWords({ flight, onSelect, halt }: FlightStateWordsProps & { halt: Halt | undefined }): Words {
  const { state } = flight;
  // The rest was sent, and its end is not known.
  if (halt === 'kept-in-part') return { mark: 'cut', title: 'A part of it', text: '' };
  switch (state.kind) {
    case 'complete':
      return { mark: 'good', title: 'Complete', text: 'Every row that was promised came.' };
    case 'aborted': {
      const row = findRow(flight.rows, state.error);
      return {
        mark: 'cut',
        title: 'Aborted',
        text: (
          <>
            The server stopped what was not finished.
            {row === undefined ? null : (
              <>
                {' '}
                The reason is in row <RowLink flight={flight} row={row} onSelect={onSelect} />.
              </>
            )}
          </>
        ),
      };
    }
    case 'halted': {
      const { says, ...words } = haltWords[halt ?? 'unknown'];
      return {
        ...words,
        text: (
          <>
            It ends between two rows, but {countRows(state.pending.length)} never came:{' '}
            <code>{nameRows(state.pending)}</code>. {says}
          </>
        ),
      };
    }
    case 'truncated':
      return {
        mark: 'bad',
        title: `Cut off at byte ${formatCount(state.at)}`,
        text: (
          <>
            {capitalize(state.reason)}. What came before is shown.
            <LastRow flight={flight} at={state.at} onSelect={onSelect} />
          </>
        ),
      };
    case 'malformed':
      return {
        mark: 'bad',
        title: `Broken at byte ${formatCount(state.at)}`,
        text: (
          <>
            {capitalize(state.reason)}. What can be read is shown.
            <LastRow flight={flight} at={state.at} onSelect={onSelect} />
          </>
        ),
      };
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether the flight is complete, and where it broke when it is not. */
export function FlightStateWords({
  opened,
  onSelect,
}: Pick<PanelProps, 'opened'> & Pick<FlightStateWordsProps, 'onSelect'>) {
  const counted = useUnderstood(opened);
  const halt = counted.kind === 'known' ? counted.understood.halt : undefined;
  const { mark, title, text } = readWords({ flight: opened.flight, onSelect, halt });
  return (
    <div className="panel flight-state" data-mark={mark}>
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  );
}
