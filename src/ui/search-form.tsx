import { faultsPath } from '#src/server/http/addresses.ts';

import { searchField } from './search-field.ts';
import { Term } from '#viewer/term.tsx';

type SearchFormProps = {
  /** Of which app faults are looked for, and whose digest is meant where several apps know it. */
  readonly app?: string | undefined;
  /** What was typed before, so that it can be corrected. */
  readonly typed?: string | undefined;
  /** Why nothing was found. */
  readonly problem?: string | undefined;
  /** What a digest of the app at hand looks like. */
  readonly example?: string;
  /** On a page that is there to search: the field is focused when the page comes. */
  readonly isFirst?: boolean;
  /** One line, for a page where the list is what matters. */
  readonly isSmall?: boolean;
};

/**
 * Takes a digest, an event id, a trace id, a fault's id, or words. A plain GET form: it works without JavaScript, and its result can
 * be bookmarked and shared.
 */
export function SearchForm({
  app,
  typed = '',
  problem,
  example = 'XXXXX-XXXXX',
  isFirst = false,
  isSmall = false,
}: SearchFormProps) {
  return (
    <form method="get" action={faultsPath} role="search" className="stack-1.5">
      {app === undefined ? null : <input type="hidden" name="app" value={app} />}
      <label htmlFor="search" className={isSmall ? 'sr-only' : 'block'}>
        Digest, id or words
      </label>
      <div className={`flex flex-wrap gap-2 ${isSmall ? 'max-w-lg' : 'max-w-xl'}`}>
        <input
          id="search"
          name={searchField}
          type="search"
          required
          // Another search shows what it searched for, also without a new document.
          key={typed}
          defaultValue={typed}
          // Where searching is what the page is for, nothing comes before this field.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={isFirst}
          // oxlint-disable-next-line jsx-a11y/no-access-key
          accessKey="/"
          placeholder={isSmall ? 'Digest, id or words' : example}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="search"
          aria-invalid={problem ? true : undefined}
          aria-describedby={
            [...(problem ? ['search-problem'] : []), ...(isSmall ? [] : ['search-hint'])].join(' ') || undefined
          }
          className={isSmall ? 'h-9 w-0 min-w-44 flex-1' : 'h-11 w-0 min-w-44 flex-1 text-lg'}
        />
        <button type="submit" className={isSmall ? 'h-9' : 'button-primary h-11'}>
          Search
        </button>
      </div>
      {problem ? (
        <p id="search-problem" className="font-medium text-error">
          {problem}
        </p>
      ) : null}
      {isSmall ? null : (
        <p id="search-hint" className="text-sm text-quiet">
          The <Term word="digest">digest</Term> of an error page, an event or trace id, or words of a message, a file, a
          tag.
        </p>
      )}
    </form>
  );
}
