import './har-list.css';

import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';

import { formatCount, formatDuration, type FoundFlight } from '#flight';

import { moveTo } from '#viewer/list-keys.ts';
import { useNarrow } from '#viewer/use-narrow.ts';
import { WindowedList } from '#viewer/windowed-list.tsx';
import { ChooseBox, type Choosing } from './choose-box.tsx';
import { HarLine } from './har-line.tsx';
import { arrangeHarRows, harColumns, measureSpan, readHarRows, type HarColumn, type HarOrder } from './har-rows.ts';

type HarListProps = {
  readonly file: string;
  readonly flights: readonly FoundFlight[];
  readonly choosing: Choosing;
  readonly onOpen: (index: number) => void;
};

/** With fewer, nobody needs a filter. */
const minFiltered = 10;
/** A line, and on a phone its second and third line. */
const lineHeights = { wide: 36, narrow: 76 };

const columnNames: Record<HarColumn, string> = {
  time: 'Time',
  kind: 'Kind',
  path: 'Path',
  status: 'Status',
  duration: 'Duration',
  flight: 'Flight',
  response: 'Response',
  transferred: 'Transferred',
};

/** Text from A on, numbers from the largest on, times from the first on. */
const firstDescending = new Set<HarColumn>(['duration', 'flight', 'response', 'transferred']);

function OrderButtons({ order, onOrder }: { order: HarOrder; onOrder: (order: HarOrder) => void }) {
  return (
    <div className="har-order" role="group" aria-label="Order">
      {harColumns.map((by) => {
        const isOn = order.by === by;
        return (
          <button
            key={by}
            type="button"
            className={`har-${by}`}
            aria-pressed={isOn}
            onClick={() => onOrder({ by, isDescending: isOn ? !order.isDescending : firstDescending.has(by) })}
          >
            {columnNames[by]}
            <span aria-hidden="true">{isOn ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
            {isOn ? <span className="sr-only">{order.isDescending ? ', falling' : ', rising'}</span> : null}
          </button>
        );
      })}
    </div>
  );
}

/** The flights of a HAR: what each is, when it came and how large it is. Draws what is in view alone. */
export function HarList({ file, flights, choosing, onOpen }: HarListProps) {
  const id = useId();
  const isNarrow = useNarrow();
  const [filter, setFilter] = useState({ text: '', kind: '' });
  const [order, setOrder] = useState<HarOrder>({ by: 'time', isDescending: false });
  const [current, setCurrent] = useState<number>();
  const list = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => readHarRows(flights), [flights]);
  const span = useMemo(() => measureSpan(rows), [rows]);
  const shown = useMemo(() => arrangeHarRows(rows, filter, order), [rows, filter, order]);
  const kinds = [...new Set(rows.map(({ kind }) => kind))];

  function move(event: KeyboardEvent) {
    const at = shown.findIndex(({ index }) => String(index) === document.activeElement?.getAttribute('data-line'));
    const next = moveTo(event.key, Math.max(at, 0), shown.length);
    const row = next === undefined ? undefined : shown[next];
    if (!row) return;
    event.preventDefault();
    setCurrent(next);
    // The line is drawn once the list has scrolled to it.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-line="${row.index}"]`)?.focus()),
    );
  }

  return (
    <div className="stack-2">
      {rows.length < minFiltered ? null : (
        <div className="flex flex-wrap items-end gap-3">
          <label htmlFor={`${id}-text`} className="grid gap-1 text-[0.875rem]">
            Path or status
            <input
              id={`${id}-text`}
              type="search"
              value={filter.text}
              onChange={(event) => setFilter({ ...filter, text: event.target.value })}
            />
          </label>
          <label htmlFor={`${id}-kind`} className="grid gap-1 text-[0.875rem]">
            Kind
            <select
              id={`${id}-kind`}
              value={filter.kind}
              onChange={(event) => setFilter({ ...filter, kind: event.target.value })}
            >
              <option value="">all</option>
              {kinds.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <p role="status" className="text-sm text-quiet">
            {shown.length === rows.length ? '' : `${formatCount(shown.length)} of ${formatCount(rows.length)}`}
          </p>
        </div>
      )}
      <OrderButtons order={order} onOrder={setOrder} />
      {shown.length === 0 ? <p>None of them matches.</p> : null}
      <div ref={list}>
        <WindowedList
          count={shown.length}
          lineHeight={isNarrow ? lineHeights.narrow : lineHeights.wide}
          current={current}
          className="har-list"
          attributes={{ role: 'list', 'aria-label': 'Flights', onKeyDown: move }}
        >
          {(line) => {
            const row = shown[line];
            if (!row) return null;
            return (
              <div key={row.index} role="listitem" className="har-item">
                <ChooseBox flight={{ file, flight: row.index, title: row.title }} choosing={choosing} />
                <HarLine row={row} span={span} onOpen={() => onOpen(row.index)} />
              </div>
            );
          }}
        </WindowedList>
      </div>
      <p className="text-sm text-quiet">
        The bars span {formatDuration(span)}: pale while it waited, dark while it was received. Times and sizes are the
        HAR’s.
      </p>
    </div>
  );
}
