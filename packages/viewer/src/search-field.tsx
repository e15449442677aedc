import { useId, type KeyboardEvent, type ReactNode } from 'react';

type SearchFieldProps = {
  /** "the rows": completes "Search …". */
  readonly what: string;
  readonly placeholder: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Which of how many. */
  readonly count: string;
  readonly hasFound: boolean;
  readonly onMove: (direction: 1 | -1) => void;
  /** More to say or to choose beside the count. */
  readonly children?: ReactNode;
};

/** A field for a search in a panel. Enter goes to the next place that was found, Shift and Enter to the one before. */
export function SearchField(props: SearchFieldProps) {
  const { what, placeholder, query, onQuery, count, hasFound, onMove, children } = props;
  const id = useId();

  function handleKey(event: KeyboardEvent) {
    if (event.key === 'Enter') onMove(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && query !== '') onQuery('');
    else return;
    event.preventDefault();
  }

  return (
    <>
      <label htmlFor="flight-search" className="sr-only">
        Search {what}
      </label>
      <input
        id="flight-search"
        type="search"
        value={query}
        placeholder={placeholder}
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
            {count}
          </output>
          <button type="button" disabled={!hasFound} onClick={() => onMove(-1)} aria-label="Previous match">
            ↑
          </button>
          <button type="button" disabled={!hasFound} onClick={() => onMove(1)} aria-label="Next match">
            ↓
          </button>
          {children}
        </div>
      )}
    </>
  );
}
