import { useEffect, useState } from 'react';

import type { Flight } from '#flight';

import { createRowSearch } from './search-rows.ts';

export type SearchState =
  | { readonly kind: 'none' }
  /** `found`: row numbers in order. */
  | { readonly kind: 'searching' | 'done'; readonly found: readonly number[] };

/** Half a frame at 60 Hz. The other half is left for typing and scrolling. */
const sliceMs = 8;

const none: SearchState = { kind: 'none' };

/** Searches the rows for `query` in slices, so that the page answers in between. */
export function useRowSearch(flight: Flight, query: string): SearchState {
  const [result, setResult] = useState<{ query: string; flight: Flight; state: SearchState }>();

  useEffect(() => {
    if (query === '') return undefined;
    const search = createRowSearch(flight, query);
    let timer: ReturnType<typeof setTimeout>;
    function goOn() {
      const isDone = search.advance(performance.now() + sliceMs);
      setResult({ query, flight, state: { kind: isDone ? 'done' : 'searching', found: [...search.found] } });
      if (!isDone) timer = setTimeout(goOn);
    }
    timer = setTimeout(goOn);
    return () => clearTimeout(timer);
  }, [flight, query]);

  if (query === '') return none;
  if (result?.query === query && result.flight === flight) return result.state;
  return { kind: 'searching', found: [] };
}
