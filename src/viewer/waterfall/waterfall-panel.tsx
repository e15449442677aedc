import './waterfall-panel.css';

import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';

import { countRowsWithin, formatBytes, formatCount, formatDuration } from '#flight';

import { ArrivalChart } from './arrival-chart.tsx';
import { formatPosition, readArrival, type Arrival } from '../arrival.ts';
import { findPlace, moveTo } from '../list-keys.ts';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { readWaits, type Waits } from './row-times.ts';
import { useReferences } from '../use-references.ts';
import { useNarrow } from '../use-narrow.ts';
import { useZoom, type Zoom } from './use-zoom.ts';
import { describeLane, WaterfallLane } from './waterfall-lane.tsx';
import { WindowedList } from '../windowed-list.tsx';
import { readTicks } from './zoom-range.ts';

/** A list that is longer than a screen begins with the most useful rows: those the client waited for. */
const manyRows = 20;

function describeArrival({ bytes, chunks, flight }: OpenedFlight, arrival: Arrival): string {
  const rows = `${formatCount(flight.rows.count)} rows`;
  if (arrival.unit === 'bytes') return `${formatBytes(bytes.length)} in ${rows}, in the order of their bytes`;
  const first = chunks[0]?.ms ?? 0;
  return `${formatBytes(bytes.length)} in ${formatCount(chunks.length)} chunks and ${rows}: the first byte at ${formatDuration(first)}, the last at ${formatDuration(arrival.end)}`;
}

/** The keys of the list move the selection. These keys zoom and move the picture. */
function useZoomKeys(zoom: Zoom): (event: KeyboardEvent) => boolean {
  return (event) => {
    if (event.key === '+' || event.key === '=') zoom.zoomIn();
    else if (event.key === '-') zoom.zoomOut();
    else if (event.key === '0') zoom.reset();
    else if (event.key === 'ArrowLeft') zoom.pan(-0.2);
    else if (event.key === 'ArrowRight') zoom.pan(0.2);
    else return false;
    return true;
  };
}

/** When what came: all bytes together, then each row in its lane. */
export function WaterfallPanel({ opened, selected, onSelect, time, onTime }: PanelProps) {
  const { flight } = opened;
  const id = useId();
  const isNarrow = useNarrow();
  const lanes = useRef<HTMLDivElement>(null);
  const arrival = useMemo(() => readArrival(opened), [opened]);
  const references = useReferences(flight);
  const timing = useMemo(() => ({ flight, arrival, references }), [flight, arrival, references]);
  const waits = useMemo(() => readWaits(timing), [timing]);
  const zoom = useZoom(arrival.end, lanes);
  const handleZoomKey = useZoomKeys(zoom);
  const [wantsWaits, setOnlyWaits] = useState(flight.rows.count > manyRows && arrival.unit === 'ms');
  const onlyWaits = wantsWaits && waits.rows.length > 0;
  const [pointed, setPointed] = useState<number>();
  const count = onlyWaits ? waits.rows.length : flight.rows.count;
  const rowAt = (line: number) => (onlyWaits ? (waits.rows[line] ?? 0) : line);
  const lineOf = (row: number) => (onlyWaits ? findPlace(waits.rows, row) : row);
  const current = selected && rowAt(lineOf(selected.row)) === selected.row ? lineOf(selected.row) : undefined;
  const came = time === undefined ? flight.rows.count : countRowsWithin(flight, arrival.bytesAt(time));
  const told = pointed ?? selected?.row;

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = moveTo(event.key, current ?? -1, count);
    if (line !== undefined) onSelect({ row: rowAt(line) });
    else if (!handleZoomKey(event)) return;
    event.preventDefault();
  }

  return (
    <div className="panel flight-waterfall">
      <div className="flight-toolbar">
        <p className="min-w-0 flex-1 basis-64 text-sm">{describeArrival(opened, arrival)}.</p>
        <ZoomButtons zoom={zoom} />
      </div>
      {arrival.unit === 'bytes' ? (
        <p className="flight-note">
          This payload came without times, so this is the order of its bytes. A flight that this app recorded has times.
        </p>
      ) : null}
      <ArrivalChart
        opened={opened}
        arrival={arrival}
        range={zoom.range}
        onRange={zoom.set}
        time={time}
        onTime={onTime}
        label={`${describeArrival(opened, arrival)}. ${describeWaits(waits, arrival)}`}
      />
      <div className="flight-toolbar border-t border-line">
        <p className="min-w-0 flex-1 basis-64 text-sm">
          {describeWaits(waits, arrival)}
          {waits.longest ? (
            <>
              {' '}
              Longest: <RowLink flight={flight} row={waits.longest.row} onSelect={onSelect} />
            </>
          ) : null}
        </p>
        {waits.rows.length === 0 ? null : (
          <label className="flex items-center gap-1.5 text-sm font-normal">
            <input type="checkbox" checked={onlyWaits} onChange={(event) => setOnlyWaits(event.target.checked)} />
            Only what was waited for
          </label>
        )}
      </div>
      <div ref={lanes} className="flight-lanes">
        <div className="flight-lane-ticks" aria-hidden="true">
          <div>
            {readTicks(zoom.range, isNarrow ? 2 : 5).map((tick) => (
              <span
                key={tick}
                style={{
                  insetInlineStart: `${((tick - zoom.range.from) / (zoom.range.to - zoom.range.from)) * 100}%`,
                }}
              >
                {formatPosition(arrival.unit, tick)}
              </span>
            ))}
          </div>
        </div>
        <WindowedList
          count={count}
          lineHeight={24}
          current={current}
          className="flight-lane-list"
          attributes={{
            role: 'listbox',
            tabIndex: 0,
            'aria-label': 'Rows over time',
            'aria-describedby': `${id}-keys`,
            ...(current === undefined ? {} : { 'aria-activedescendant': `${id}-${selected?.row}` }),
            onKeyDown: handleKey,
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
                range={zoom.range}
                isSelected={row === selected?.row}
                hasCome={row < came}
                line={line}
                count={count}
                onSelect={(chosen) => onSelect({ row: chosen })}
                onPoint={setPointed}
              />
            );
          }}
        </WindowedList>
      </div>
      <p className="flight-readout">
        {told === undefined ? 'Point at a bar, or move with the arrow keys.' : describeLane(timing, told)}
      </p>
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>+</kbd> <kbd>-</kbd> zoom, or <kbd>Ctrl</kbd> and the wheel · <kbd>←</kbd>{' '}
        <kbd>→</kbd> pan · <kbd>0</kbd> everything
      </p>
    </div>
  );
}

function describeWaits({ rows, longest }: Waits, arrival: Arrival): string {
  if (rows.length === 0) return 'Nothing came noticeably later than it was promised.';
  const many = rows.length === 1 ? 'One row was' : `${formatCount(rows.length)} rows were`;
  const most = longest ? `, ${formatPosition(arrival.unit, longest.wait)} at most` : '';
  return `${many} promised and came noticeably later${most}.`;
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  return (
    <div role="group" aria-label="Zoom" className="flex gap-1.5">
      <button type="button" aria-label="Zoom out" disabled={zoom.isWhole} onClick={zoom.zoomOut}>
        −
      </button>
      <button type="button" aria-label="Zoom in" onClick={zoom.zoomIn}>
        +
      </button>
      <button type="button" aria-label="Earlier" disabled={zoom.isWhole} onClick={() => zoom.pan(-0.5)}>
        ←
      </button>
      <button type="button" aria-label="Later" disabled={zoom.isWhole} onClick={() => zoom.pan(0.5)}>
        →
      </button>
      <button type="button" disabled={zoom.isWhole} onClick={zoom.reset}>
        Everything
      </button>
    </div>
  );
}
