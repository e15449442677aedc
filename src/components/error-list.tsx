import type { ErrorSummary } from '#src/reports/incident.ts';
import { ownApp } from '#src/store/own-app.ts';

import { ErrorLink } from './error-link.tsx';
import { KindBadge } from './kind-badge.tsx';
import { Moment } from './moment.tsx';

/** Errors, newest first. On a narrow screen each row folds. */
export function ErrorList({ errors, now, label }: { errors: readonly ErrorSummary[]; now: number; label: string }) {
  // Where all are of one app, its name on each line says nothing.
  const hasApps = errors.some(({ app }) => app !== errors[0]?.app || app !== ownApp);
  return (
    <table className="fold" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Digest</th>
          {hasApps ? <th scope="col">App</th> : null}
          <th scope="col">Kind</th>
          <th scope="col">Error</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {errors.map((error) => (
          <tr key={error.id}>
            <th scope="row" data-beside>
              <ErrorLink error={error} />
            </th>
            {hasApps ? <td data-beside>{error.app}</td> : null}
            <td data-beside>
              <KindBadge kind={error.kind} />
            </td>
            <td className="sm:w-full">
              <span className="line-clamp-3">
                <strong className="font-semibold">{error.name}</strong> {error.message}
              </span>
              <span className="code text-quiet">{error.path}</span>
            </td>
            <td className="sm:[&_time]:grid">
              <Moment time={error.time} now={now} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
