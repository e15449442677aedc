import type { KeyboardEvent } from 'react';

import { findPlace } from '../list-keys.ts';
import type { PanelProps } from '../opened-flight.ts';
import { WaterfallLane, type Timing } from './waterfall-lane.tsx';
import { WindowedList } from '../windowed-list.tsx';
import type { ZoomRange } from './zoom-range.ts';

/** The rows of the list, by their lines. */
type Lines = {
  readonly count: number;
  readonly rowAt: (line: number) => number;
  /** The line of the selected row, when it is in the list. */
  readonly current: number | undefined;
};

/** @param only the rows of the list, in order; all rows when undefined */
export function readLines(only: readonly number[] | undefined, all: number, selected: number | undefined): Lines {
  const rowAt = (line: number) => (only ? (only[line] ?? 0) : line);
  const line = selected === undefined || !only ? selected : findPlace(only, selected);
  const current = line !== undefined && rowAt(line) === selected ? line : undefined;
  return { count: only ? only.length : all, rowAt, current };
}

type LaneListProps = Pick<PanelProps, 'onSelect'> & {
  readonly id: string;
  readonly timing: Timing;
  readonly range: ZoomRange;
  readonly lines: Lines;
  readonly selected: number | undefined;
  /** How many rows had come at the time that is shown. */
  readonly came: number;
  readonly onPoint: (row: number | undefined) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
};

/** A lane for each row; only those in view are drawn. */
export function LaneList(props: LaneListProps) {
  const { id, timing, range, lines, selected, came, onSelect, onPoint, onKeyDown } = props;
  const { count, rowAt, current } = lines;
  return (
    <WindowedList
      count={count}
      lineHeight={24}
      current={current}
      className="[scrollbar-gutter:stable] [--tallest:clamp(14rem,46vh,30rem)]"
      attributes={{
        role: 'listbox',
        tabIndex: 0,
        'aria-label': 'Rows over time',
        'aria-describedby': `${id}-keys`,
        ...(current === undefined ? {} : { 'aria-activedescendant': `${id}-${selected}` }),
        onKeyDown,
        onClick: ({ target }) => {
          const lane = target instanceof Element ? target.closest('[data-row]') : null;
          if (lane) onSelect({ row: Number(lane.getAttribute('data-row')) });
        },
      }}
    >
      {(line) => {
        const row = rowAt(line);
        return (
          <WaterfallLane
            key={row}
            id={`${id}-${row}`}
            timing={timing}
            row={row}
            range={range}
            isSelected={row === selected}
            hasCome={row < came}
            line={line}
            count={count}
            onPoint={onPoint}
          />
        );
      }}
    </WindowedList>
  );
}
