import type { AskedQuery } from './asked-query.ts';

type WhenFormProps = {
  /** The page that answers. */
  readonly action: string;
  /** What it asks besides. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly query: AskedQuery;
};

/**
 * Asks about when it was, where many visitors have the same digest, or none. A plain GET form: it works without JavaScript, and its
 * result can be shared. The time is in UTC, as all that the server writes.
 */
export function WhenForm({ action, hidden = {}, query }: WhenFormProps) {
  const { app, at, path, isNoTime, asked } = query;
  return (
    <form method="get" action={action} className="stack-1.5">
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {app === undefined ? null : <input type="hidden" name="app" value={app} />}
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <label className="stack-0.5 block text-sm">
          <span className="block">About when? (UTC)</span>
          <input
            // Another answer shows what was asked, also without a new document.
            key={at}
            type="datetime-local"
            name="at"
            step="1"
            defaultValue={asked.at === undefined ? '' : new Date(asked.at.time).toISOString().slice(0, 19)}
            aria-invalid={isNoTime ? true : undefined}
            aria-describedby={isNoTime ? 'when-problem' : undefined}
          />
        </label>
        <label className="stack-0.5 block min-w-44 flex-1 text-sm">
          <span className="block">On which page?</span>
          <input
            key={path}
            type="text"
            name="path"
            defaultValue={path}
            placeholder="/its/path, where it is known"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="w-full"
          />
        </label>
        <button type="submit">Find it</button>
      </div>
      {isNoTime ? (
        <p id="when-problem" className="font-medium text-error">
          {at.slice(0, 40)} is no time. Write it as 2026-11-23T15:04, in UTC.
        </p>
      ) : null}
    </form>
  );
}
