import { useEffect, useState } from 'react';

export type SearchState<Hit> =
  | { readonly kind: 'none' }
  /** `found`: in order. */
  | { readonly kind: 'searching' | 'done'; readonly found: readonly Hit[] };

/** A search that goes on slice by slice: `advance` says whether it is at its end. */
type SlicedSearch<Hit> = {
  readonly found: readonly Hit[];
  readonly advance: (until: number) => boolean;
};

/** Half a frame at 60 Hz. The other half is left for typing and scrolling. */
const sliceMs = 8;

const none: SearchState<never> = { kind: 'none' };

/**
 * Searches for `query` in slices, so that the page answers in between.
 * @param create begins the search. It must be the same function as long as what is searched is the same.
 */
export function useSearch<Hit>(query: string, create: (query: string) => SlicedSearch<Hit>): SearchState<Hit> {
  const [result, setResult] = useState<{ query: string; create: unknown; state: SearchState<Hit> }>();

  useEffect(() => {
    if (query === '') return undefined;
    const search = create(query);
    let timer: ReturnType<typeof setTimeout>;
    function goOn() {
      const isDone = search.advance(performance.now() + sliceMs);
      setResult({ query, create, state: { kind: isDone ? 'done' : 'searching', found: [...search.found] } });
      if (!isDone) timer = setTimeout(goOn);
    }
    timer = setTimeout(goOn);
    return () => clearTimeout(timer);
  }, [create, query]);

  if (query === '') return none;
  if (result?.query === query && result.create === create) return result.state;
  return { kind: 'searching', found: [] };
}
