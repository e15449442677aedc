import type { RefObject } from 'react';

import { formatPosition, type Arrival } from '../arrival.ts';
import { useNarrow } from '../use-narrow.ts';
import { readTicks, type ZoomRange } from './zoom-range.ts';

type TimeGridProps = {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly arrival: Arrival;
  readonly range: ZoomRange;
  readonly chosen: ZoomRange | undefined;
  readonly time: number | undefined;
};

/**
 * The one axis of the chart above it and the lanes below it: the numbers stand between them, and its lines go through both.
 * What is shown of the whole is a bar at the top while the picture is zoomed.
 */
export function TimeGrid({ ref, arrival, range, chosen, time }: TimeGridProps) {
  const isNarrow = useNarrow();
  const length = range.to - range.from;
  const share = (position: number) => `${((position - range.from) / length) * 100}%`;
  const ticks = readTicks(range, isNarrow ? 3 : 6);
  const isWhole = range.from === 0 && range.to === arrival.end;
  return (
    <>
      <div className="flight-track-row border-y border-line" aria-hidden="true">
        <div ref={ref} className="flight-axis-ticks">
          {ticks.map((tick) => (
            <span key={tick} style={{ insetInlineStart: share(tick) }}>
              {formatPosition(arrival.unit, tick)}
            </span>
          ))}
        </div>
      </div>
      <div className="flight-track-row absolute z-1 inset-0 pointer-events-none" aria-hidden="true">
        <div className="flight-grid-track">
          {isWhole ? null : (
            <span
              className="flight-grid-window"
              style={{
                insetInlineStart: `${(range.from / arrival.end) * 100}%`,
                width: `${(length / arrival.end) * 100}%`,
              }}
            />
          )}
          {ticks.map((tick) => (
            <span key={tick} className="flight-grid-line" style={{ insetInlineStart: share(tick) }} />
          ))}
          {time === undefined || time < range.from || time > range.to ? null : (
            <span className="w-0.5 bg-accent" style={{ insetInlineStart: share(time) }} />
          )}
          {chosen ? (
            <span
              className="flight-grid-chosen"
              style={{ insetInlineStart: share(chosen.from), width: `${((chosen.to - chosen.from) / length) * 100}%` }}
            />
          ) : null}
        </div>
      </div>
    </>
  );
}
