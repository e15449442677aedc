import { formatCount } from '#flight';
import { useId, type KeyboardEvent } from 'react';

import { describeTag, type RowTable } from '../row-table.ts';
import type { SearchState } from './use-row-search.ts';

type RowsToolbarProps = {
  readonly table: RowTable;
  readonly tag: string | undefined;
  readonly onTag: (tag: string | undefined) => void;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly search: SearchState;
  readonly selectedRow: number | undefined;
  readonly onMove: (direction: 1 | -1) => void;
  readonly onlyMatches: boolean;
  readonly onOnlyMatches: (only: boolean) => void;
};

function describeSearch(search: SearchState, selectedRow: number | undefined): string {
  if (search.kind === 'none') return '';
  const { found } = search;
  const place = selectedRow === undefined ? -1 : found.indexOf(selectedRow);
  const count = formatCount(found.length);
  if (search.kind === 'searching') return `${count} so far`;
  if (found.length === 0) return 'no row';
  if (place >= 0) return `${formatCount(place + 1)} of ${count}`;
  return found.length === 1 ? '1 row' : `${count} rows`;
}

/** Search and filter of the list. */
export function RowsToolbar(props: RowsToolbarProps) {
  const { table, tag, onTag, query, onQuery, search, selectedRow, onMove, onlyMatches, onOnlyMatches } = props;
  const id = useId();

  function handleKey(event: KeyboardEvent) {
    if (event.key === 'Enter') onMove(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && query !== '') onQuery('');
    else return;
    event.preventDefault();
  }

  const hasMatches = search.kind !== 'none' && search.found.length > 0;
  return (
    <div className="flight-toolbar">
      <label htmlFor="flight-search" className="flight-sr-only">
        Search the rows
      </label>
      <input
        id="flight-search"
        type="search"
        value={query}
        placeholder="Search text, keys, ids …"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-found`}
        className="min-w-0 flex-1 basis-52"
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={handleKey}
      />
      {query === '' ? null : (
        <div className="flex items-center gap-2">
          <output id={`${id}-found`} className="text-sm whitespace-nowrap text-quiet">
            {describeSearch(search, selectedRow)}
          </output>
          <button type="button" disabled={!hasMatches} onClick={() => onMove(-1)} aria-label="Previous match">
            ↑
          </button>
          <button type="button" disabled={!hasMatches} onClick={() => onMove(1)} aria-label="Next match">
            ↓
          </button>
          <label className="flex items-center gap-1.5 text-sm font-normal whitespace-nowrap">
            <input type="checkbox" checked={onlyMatches} onChange={(event) => onOnlyMatches(event.target.checked)} />
            Only these
          </label>
        </div>
      )}
      <label className="flex min-w-0 items-center gap-2 text-sm font-normal">
        <span className="text-quiet">Kind</span>
        <select
          value={tag ?? 'all'}
          className="min-w-0"
          onChange={(event) => onTag(event.target.value === 'all' ? undefined : event.target.value)}
        >
          <option value="all">all ({formatCount(table.count)})</option>
          {table.kinds.map((kind) => (
            <option key={kind.tag} value={kind.tag}>
              {describeTag(kind.tag).name} ({formatCount(kind.rows)})
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
