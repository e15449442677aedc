import '#viewer/token-colors.css';

import { useEffect, useRef } from 'react';

import { formatDuration } from '#flight';
import { RawRow } from '#viewer/protocol/raw-rows.tsx';

import type { Shown } from './read-shown.ts';
import type { Position } from './use-stage.ts';

type RowsProps = {
  readonly shown: Shown;
  readonly position: Position;
  readonly onChange: (position: Position) => void;
};

/** Each row is a button that leads to it. */
export function Rows({ shown: { flight, steps }, position, onChange }: RowsProps) {
  const current = position.kind === 'step' ? position.step : undefined;
  const list = useRef<HTMLOListElement>(null);

  // Not by scrollIntoView, which would move the page, too.
  useEffect(() => {
    const item = current === undefined ? undefined : list.current?.children[current];
    if (!list.current || !item) return;
    const [frame, row] = [list.current.getBoundingClientRect(), item.getBoundingClientRect()];
    if (row.top < frame.top || row.height > frame.height) list.current.scrollTop += row.top - frame.top;
    else if (row.bottom > frame.bottom) list.current.scrollTop += row.bottom - frame.bottom;
  }, [current]);

  return (
    <ol ref={list} className="bench-rows" aria-label="Rows of the payload">
      {steps.map(({ row, ms }, step) => (
        <li key={row} data-current={step === current || undefined} data-late={(current ?? step) < step || undefined}>
          <button
            type="button"
            aria-current={step === current ? 'step' : undefined}
            onClick={() => onChange({ kind: 'step', step })}
          >
            <span className="bench-time">{formatDuration(ms)}</span>
            <code>
              <RawRow flight={flight} row={row} />
            </code>
          </button>
        </li>
      ))}
    </ol>
  );
}
