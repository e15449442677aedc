import { formatCount } from '#flight';

import { describeTag, type RowTable } from '../row-table.ts';
import { SearchField } from '../search-field.tsx';
import type { SearchState } from '../use-search.ts';

type RowsToolbarProps = {
  readonly table: RowTable;
  readonly tag: string | undefined;
  readonly onTag: (tag: string | undefined) => void;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly search: SearchState<number>;
  readonly selectedRow: number | undefined;
  readonly onMove: (direction: 1 | -1) => void;
  readonly onlyMatches: boolean;
  readonly onOnlyMatches: (only: boolean) => void;
};

function describeSearch(search: SearchState<number>, selectedRow: number | undefined): string {
  if (search.kind === 'none') return '';
  const { found } = search;
  const place = selectedRow === undefined ? -1 : found.indexOf(selectedRow);
  const count = formatCount(found.length);
  if (search.kind === 'searching') return found.length === 0 ? 'searching …' : `${count} so far`;
  if (found.length === 0) return 'no row';
  if (place >= 0) return `${formatCount(place + 1)} of ${count}`;
  return found.length === 1 ? '1 row' : `${count} rows`;
}

/** Search and filter of the list. */
export function RowsToolbar(props: RowsToolbarProps) {
  const { table, tag, onTag, query, onQuery, search, selectedRow, onMove, onlyMatches, onOnlyMatches } = props;
  return (
    <div className="flight-toolbar">
      <SearchField
        what="the rows"
        placeholder="Search text, keys, ids …"
        query={query}
        onQuery={onQuery}
        count={describeSearch(search, selectedRow)}
        hasFound={search.kind !== 'none' && search.found.length > 0}
        onMove={onMove}
      >
        <label className="flex items-center gap-1.5 text-sm font-normal whitespace-nowrap">
          <input type="checkbox" checked={onlyMatches} onChange={(event) => onOnlyMatches(event.target.checked)} />
          Only these
        </label>
      </SearchField>
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
