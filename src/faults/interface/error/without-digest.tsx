import { EmptyState } from '#viewer/empty-state.tsx';
import { Panel } from '#viewer/panel.tsx';
import { errorPath, faultPath, lookUpPath } from '#src/server/http/addresses.ts';
import type { WithoutDigest as Found } from '#src/faults/digests/list-without-digest.ts';
import { Moment } from '#src/ui/moment.tsx';
import { ownApp } from '#src/store/own-app.ts';

import type { AskedQuery } from './asked-query.ts';
import { WhenForm } from './when-form.tsx';

function Line({ error, now }: { error: Found; now: number }) {
  const { id, app, side, fault, time, name, message, path } = error;
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
      <a href={fault === null ? errorPath(id) : faultPath(fault, id)} className="[overflow-wrap:anywhere]">
        {name}: {message.slice(0, 200)}
      </a>
      <Moment time={time} now={now} />
      <span className="code min-w-0 text-quiet">{path || 'page not known'}</span>
      <span className="text-quiet">
        {side === 'browser' ? 'browser, untrusted' : 'server'}
        {app === ownApp ? '' : `, ${app}`}
      </span>
    </li>
  );
}

type WithoutDigestProps = {
  readonly typed: string;
  readonly query: AskedQuery;
  readonly errors: readonly Found[];
  readonly now: number;
};

/** What an error page may have meant that had no digest to show. */
export function WithoutDigest({ typed, query, errors, now }: WithoutDigestProps) {
  return (
    <Panel title="Errors without a digest">
      <p>
        An error page says that it has none when the error is the browser’s own, or when the server told its framework
        none. About when and where it was tells which of these it is.
      </p>
      <WhenForm action={lookUpPath} hidden={{ code: typed }} query={query} />
      {errors.length === 0 ? (
        <EmptyState title="No error without a digest is kept of then and there">
          <p>Errors of browsers are known where the app’s pages report them.</p>
        </EmptyState>
      ) : (
        <ul className="stack-1 list-none p-0">
          {errors.map((error) => (
            <Line key={`${error.side} ${error.id}`} error={error} now={now} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
