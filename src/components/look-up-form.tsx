import { lookUpPath } from '#src/http/addresses.ts';

type LookUpFormProps = {
  /** Where several apps know the same digest, this one is meant. */
  readonly app?: string | undefined;
  /** What was typed before, so that it can be corrected. */
  readonly typed?: string;
  /** On the front page: it has the focus when the document comes. */
  readonly isFirst?: boolean;
  /** Why it could not be looked up. */
  readonly problem?: string;
};

/**
 * Looks up a digest. It is a plain GET form: it works without JavaScript, and its result can be bookmarked and shared.
 */
export function LookUpForm({ app, typed = '', isFirst = false, problem }: LookUpFormProps) {
  return (
    <form method="get" action={lookUpPath} className="stack-1.5">
      {app === undefined ? null : <input type="hidden" name="app" value={app} />}
      <label htmlFor="code" className="block">
        Digest
      </label>
      <div className="flex max-w-md flex-wrap gap-2">
        <input
          id="code"
          name="code"
          type="text"
          required
          defaultValue={typed}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- A page that is there to look something up; its callers say when.
          autoFocus={isFirst}
          // oxlint-disable-next-line jsx-a11y/no-access-key -- As on sites with a search; it takes no letter from a screen reader.
          accessKey="/"
          placeholder="XXXXX-XXXXX"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="search"
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? 'code-problem code-hint' : 'code-hint'}
          className="h-11 w-0 min-w-44 flex-1 font-mono text-lg tracking-wide"
        />
        <button type="submit" className="button-primary h-11">
          Look up
        </button>
      </div>
      {problem ? (
        <p id="code-problem" className="font-medium text-error">
          {problem}
        </p>
      ) : null}
      <p id="code-hint" className="text-sm text-quiet">
        Whatever the error page shows, also with the words around it. In our own digests, upper and lower case, the
        hyphen, O for 0 and I for 1 make no difference.
      </p>
    </form>
  );
}
