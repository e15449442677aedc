import './rows-panel.css';

import { useCallback, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';

import { countRowsWithin, type Flight } from '#flight';

import { readArrival } from '../arrival.ts';
import { findPlace, moveTo } from '../list-keys.ts';
import type { PanelProps, Place } from '../opened-flight.ts';
import { RowDetail } from './row-detail.tsx';
import { RowLine } from './row-line.tsx';
import { readRowTable, type RowTable } from '../row-table.ts';
import { RowsToolbar } from './rows-toolbar.tsx';
import { createRowSearch, findMatch } from './search-rows.ts';
import { useNarrow } from '../use-narrow.ts';
import { useLinkedRow } from './use-linked-row.ts';
import { useSearch } from '../use-search.ts';
import { WindowedList } from '../windowed-list.tsx';

/** Every tag (undefined), or the rows with one tag. */
export type TagFilter = string | undefined;

/** Indexes of the rows that are listed, in order; undefined for all. */
function listRows(table: RowTable, tag: TagFilter, matches: readonly number[] | undefined): Uint32Array | undefined {
  if (tag === undefined && matches === undefined) return undefined;
  const code = tag === undefined ? undefined : tag === '' ? 0 : tag.charCodeAt(0);
  const rows = matches ? Uint32Array.from(matches) : Uint32Array.from({ length: table.count }, (_, row) => row);
  return code === undefined ? rows : rows.filter((row) => table.tags[row] === code);
}

/** Which rows are listed, by their tag and by the search, and on which line each is. */
function useListedRows(flight: Flight) {
  const table = readRowTable(flight);
  const [tag, setTag] = useState<TagFilter>();
  const [query, setQuery] = useState('');
  const [onlyMatches, setOnlyMatches] = useState(false);
  const create = useCallback((text: string) => createRowSearch(flight, text), [flight]);
  const search = useSearch(query, create);
  const matches = search.kind === 'none' ? undefined : search.found;
  const matching = useMemo(() => new Set(matches), [matches]);
  const rows = useMemo(
    () => listRows(table, tag, onlyMatches ? matches : undefined),
    [table, tag, onlyMatches, matches],
  );
  return {
    table,
    filter: { tag, onTag: setTag, query, onQuery: setQuery, onlyMatches, onOnlyMatches: setOnlyMatches },
    search,
    matches,
    matching,
    isFiltered: rows !== undefined,
    count: rows?.length ?? table.count,
    rowAt: (line: number) => (rows ? rows[line] : line),
    lineOf: (row: number) => (rows ? findPlace(rows, row) : row),
    showAll() {
      setTag(undefined);
      setOnlyMatches(false);
    },
  };
}

function RowsHead({ end }: { end: string }) {
  return (
    <div className="flight-row flight-row-head" aria-hidden="true">
      <span>Row</span>
      <span>Kind</span>
      <span className="text-end">Size</span>
      <span />
      <span className="text-end">{end}</span>
      <span>What it says</span>
    </div>
  );
}

/** All rows in the order in which they came, and the selected one: as sent, and decoded. */
export function RowsPanel({ opened, selected, onSelect, time }: PanelProps) {
  const { flight } = opened;
  const id = useId();
  const detail = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const arrival = useMemo(() => readArrival(opened), [opened]);
  const { table, filter, search, matches, matching, isFiltered, count, rowAt, lineOf, showAll } = useListedRows(flight);
  const current = selected && rowAt(lineOf(selected.row)) === selected.row ? lineOf(selected.row) : undefined;
  // What was chosen here is no link. A link also shows the rows that a filter hides.
  const [chosen, setChosen] = useState<number>();
  const linked = selected?.row === chosen ? undefined : selected?.row;
  const lit = useLinkedRow(linked, (row) => document.getElementById(`${id}-${row}`), detail);
  if (linked !== undefined && current === undefined && isFiltered) showAll();
  const came = time === undefined ? table.count : countRowsWithin(flight, arrival.bytesAt(time));

  const choose = useCallback(
    (place: Place) => {
      setChosen(place.row);
      onSelect(place);
    },
    [onSelect],
  );

  function selectLine(line: number) {
    const row = rowAt(line);
    if (row !== undefined) choose({ row });
  }

  /** Selects the next match after the selected row, or before it, and goes on at the other end. */
  function selectMatch(direction: 1 | -1) {
    if (!matches || matches.length === 0) return;
    const here = selected?.row ?? -1;
    const place = findPlace(matches, direction === 1 ? here + 1 : here) - (direction === 1 ? 0 : 1);
    const row = matches[(place + matches.length) % matches.length];
    if (row !== undefined) choose({ row, ...findMatch(flight, row, filter.query) });
  }

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = current ?? (selected ? lineOf(selected.row) - 1 : -1);
    const line = moveTo(event.key, from, count);
    if (line !== undefined) selectLine(line);
    else if (event.key === 'Enter') detail.current?.focus();
    else if (event.key === 'n') selectMatch(1);
    else if (event.key === 'N') selectMatch(-1);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className="panel overflow-hidden">
        <RowsToolbar table={table} {...filter} search={search} selectedRow={selected?.row} onMove={selectMatch} />
        <RowsHead end={arrival.unit === 'ms' ? 'Complete' : 'Ends at'} />
        {count === 0 ? (
          <p className="px-4 py-6 text-quiet">{filter.query === '' ? 'There are no rows.' : 'No row matches.'}</p>
        ) : (
          <WindowedList
            count={count}
            lineHeight={isNarrow ? 48 : 28}
            current={current}
            className="[--tallest:clamp(14rem,40vh,27rem)]"
            attributes={{
              role: 'listbox',
              tabIndex: 0,
              'aria-label': 'Rows',
              'aria-describedby': `${id}-keys`,
              ...(current === undefined ? {} : { 'aria-activedescendant': `${id}-${selected?.row}` }),
              onKeyDown: handleKey,
            }}
          >
            {(line) => {
              const row = rowAt(line) ?? 0;
              return (
                <RowLine
                  key={row}
                  id={`${id}-${row}`}
                  flight={flight}
                  row={row}
                  line={line}
                  count={count}
                  table={table}
                  arrival={arrival}
                  isSelected={row === selected?.row}
                  isLit={row === lit}
                  isMatch={matching.has(row)}
                  hasCome={row < came}
                  onSelect={choose}
                />
              );
            }}
          </WindowedList>
        )}
        <p id={`${id}-keys`} className="flight-keys">
          <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> search · <kbd>n</kbd> <kbd>N</kbd> next
          and previous match
        </p>
      </div>
      {selected ? (
        <RowDetail
          key={selected.row}
          ref={detail}
          opened={opened}
          selected={selected}
          onSelect={onSelect}
          arrival={arrival}
        />
      ) : (
        <p className="text-quiet">Choose a row to see it as it was sent, beside what it means.</p>
      )}
    </>
  );
}
