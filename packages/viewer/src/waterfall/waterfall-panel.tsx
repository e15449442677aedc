import './waterfall-panel.css';

import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';

import { countRowsWithin, formatBytes, formatCount, formatDuration, printRow, readRow } from '#flight';

import { ArrivalChart } from './arrival-chart.tsx';
import { type Arrival, formatPosition, readArrival } from '../arrival.ts';
import { LaneList, readLines } from './lane-list.tsx';
import { moveTo } from '../list-keys.ts';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import { readRowTimes, readWaits } from './row-waits.ts';
import { TimeGrid } from './time-grid.tsx';
import { useDragZoom } from './use-drag-zoom.ts';
import { useUnderstood } from '../use-understood.ts';
import { useZoom, type Zoom } from './use-zoom.ts';
import { WaitWords } from './wait-words.tsx';
import { ZoomButtons } from './zoom-buttons.tsx';
import type { ZoomRange } from './zoom-range.ts';
import { describeLane, describeOrigin, type Timing } from './waterfall-lane.tsx';

/** A list that is longer than a screen begins with the most useful rows: those that were waited for. */
const manyRows = 20;

function countOf(count: number, one: string): string {
  return count === 1 ? `one ${one}` : `${formatCount(count)} ${one}s`;
}

function describeArrival({ bytes, chunks, flight }: OpenedFlight, arrival: Arrival): string {
  const rows = countOf(flight.rows.count, 'row');
  if (arrival.unit === 'bytes') return `${formatBytes(bytes.length)} in ${rows}, in the order of their bytes`;
  const first = chunks[0]?.ms ?? 0;
  return `${formatBytes(bytes.length)} in ${countOf(chunks.length, 'chunk')} and ${rows}: the first byte at ${formatDuration(first)}, the last at ${formatDuration(arrival.end)}`;
}

/** The keys of the list move the selection. These keys zoom and move the picture. */
function handleZoomKey(key: string, zoom: Zoom, selected: ZoomRange | undefined): boolean {
  if (key === '+' || key === '=') zoom.zoomIn();
  else if (key === '-') zoom.zoomOut();
  else if (key === '0') zoom.reset();
  else if (key === 'Escape' && !zoom.isWhole) zoom.reset();
  else if (key === 'ArrowLeft') zoom.pan(-0.2);
  else if (key === 'ArrowRight') zoom.pan(0.2);
  else if (key === 'z' && selected) zoom.show(selected);
  else return false;
  return true;
}

type LaneReadoutProps = {
  readonly timing: Timing;
  /** The row that is pointed at, or else selected. */
  readonly row: number | undefined;
  readonly chosen: ZoomRange | undefined;
};

/** The row's first words, where it comes from, and what happened to it. While dragging, what the drag has chosen. */
function LaneReadout({ timing, row, chosen }: LaneReadoutProps) {
  if (chosen) return <p className="flight-readout flight-lane-readout">{describeRange(timing, chosen)}</p>;
  if (row === undefined) {
    return <p className="flight-readout flight-lane-readout">Point at a bar, or move with the arrow keys.</p>;
  }
  const { flight } = timing;
  const origin = describeOrigin(flight, row);
  return (
    <div className="flight-readout flight-lane-readout">
      <p>
        <code>{printRow(flight, readRow(flight, row))}</code>
        {origin === undefined ? null : <span className="text-quiet"> from {origin}</span>}
      </p>
      <p>{describeLane(timing, row)}</p>
    </div>
  );
}

function describeRange({ flight, arrival }: Timing, { from, to }: ZoomRange): string {
  const show = (position: number) => formatPosition(arrival.unit, position);
  const start = from === 0 ? 0 : arrival.bytesAt(from);
  const end = arrival.bytesAt(to);
  const rows = countRowsWithin(flight, end) - countRowsWithin(flight, start);
  const came = rows === 1 ? 'one row' : `${formatCount(rows)} rows`;
  return `From ${show(from)} to ${show(to)}: ${formatBytes(end - start)}, ${came} complete.`;
}

/** When what came: all bytes together, then each row in its lane, over one axis. */
export function WaterfallPanel({ opened, selected, onSelect, time, onTime }: PanelProps) {
  const { flight } = opened;
  const id = useId();
  const picture = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const arrival = useMemo(() => readArrival(opened), [opened]);
  const understood = useUnderstood(opened);
  const holes = understood.kind === 'known' ? understood.understood.holes : undefined;
  const { requests } = opened;
  const waits = useMemo(
    () => (holes ? readWaits(flight, arrival, holes, requests) : undefined),
    [flight, arrival, holes, requests],
  );
  const timing = useMemo(() => ({ flight, arrival, waits }), [flight, arrival, waits]);
  const zoom = useZoom(arrival.end, picture, track);
  const [wantsWaits, setOnlyWaits] = useState(flight.rows.count > manyRows && arrival.unit === 'ms');
  const [pointed, setPointed] = useState<number>();
  const awaited = waits?.rows ?? [];
  const onlyWaits = wantsWaits && awaited.length > 0;
  const lines = readLines(onlyWaits ? awaited : undefined, flight.rows.count, selected?.row);
  const came = time === undefined ? flight.rows.count : countRowsWithin(flight, arrival.bytesAt(time));

  const drag = useDragZoom({
    track,
    range: zoom.range,
    end: arrival.end,
    onRange: zoom.set,
    onTap: (position, { target }) => {
      if (arrival.unit === 'ms' && target instanceof Element && target.closest('.flight-chart')) onTime(position);
    },
  });

  /** Where the selected row is on the axis, with its wait. */
  function readSelected(): ZoomRange | undefined {
    if (!selected) return undefined;
    const { first, last } = readRowTimes(flight, arrival, selected.row);
    return { from: waits?.byRow.get(selected.row)?.from ?? first, to: last };
  }

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = moveTo(event.key, lines.current ?? -1, lines.count);
    if (line !== undefined) onSelect({ row: lines.rowAt(line) });
    else if (!handleZoomKey(event.key, zoom, readSelected())) return;
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
          This payload came without times: the axis is its bytes, from the first to the last. A flight that this app
          recorded has times.
        </p>
      ) : null}
      <div className="flight-toolbar">
        <WaitWords flight={flight} arrival={arrival} understood={understood} waits={waits} onSelect={onSelect} />
        {awaited.length === 0 ? null : (
          <label className="flex min-h-6 items-center gap-1.5 text-sm font-normal">
            <input type="checkbox" checked={onlyWaits} onChange={(event) => setOnlyWaits(event.target.checked)} />
            Only what was waited for
          </label>
        )}
      </div>
      <div
        ref={picture}
        className="relative mt-2 border-t border-line cursor-crosshair touch-pan-y select-none"
        {...drag.handlers}
      >
        <ArrivalChart
          opened={opened}
          arrival={arrival}
          range={zoom.range}
          label={`${describeArrival(opened, arrival)}.`}
        />
        <TimeGrid ref={track} arrival={arrival} range={zoom.range} chosen={drag.chosen} time={time} />
        <LaneList
          id={id}
          timing={timing}
          range={zoom.range}
          lines={lines}
          selected={selected?.row}
          came={came}
          onSelect={onSelect}
          onPoint={setPointed}
          onKeyDown={handleKey}
        />
      </div>
      <LaneReadout timing={timing} row={pointed ?? selected?.row} chosen={drag.chosen} />
      <p id={`${id}-keys`} className="flight-keys">
        Drag over the picture to zoom in · <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>z</kbd> zoom to the row · <kbd>+</kbd>{' '}
        <kbd>-</kbd> zoom, or <kbd>Ctrl</kbd> and the wheel · <kbd>←</kbd> <kbd>→</kbd> pan · <kbd>Esc</kbd> everything
      </p>
    </div>
  );
}
