import { formatCount } from '#flight';

import { readHitIndex } from '../outline-hits.ts';
import { SearchField } from '../search-field.tsx';
import type { SearchState } from '../use-search.ts';

type TreeSearchProps = {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly search: SearchState<string>;
  /** The path of the chosen line. */
  readonly current: string | undefined;
  readonly onMove: (direction: 1 | -1) => void;
};

/** `3 of 17`, or how many. */
function describeHits(search: SearchState<string>, current: string | undefined): string {
  if (search.kind === 'none') return '';
  const count = formatCount(search.found.length);
  if (search.kind === 'searching') return search.found.length === 0 ? 'searching …' : `${count} so far`;
  if (search.found.length === 0) return 'not found';
  const index = readHitIndex(search.found, current);
  return index === undefined ? `${count} found` : `${formatCount(index + 1)} of ${count}`;
}

/** Search in the tree, with what is closed. */
export function TreeSearch({ query, onQuery, search, current, onMove }: TreeSearchProps) {
  return (
    <div className="flight-toolbar">
      <SearchField
        what="the tree"
        placeholder="Search names, props, text …"
        query={query}
        onQuery={onQuery}
        count={describeHits(search, current)}
        hasFound={search.kind !== 'none' && search.found.length > 0}
        onMove={onMove}
      />
    </div>
  );
}
