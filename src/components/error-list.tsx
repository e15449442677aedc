import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import type { ErrorSummary } from '#src/reports/incident.ts';

import { ErrorLink } from './error-link.tsx';
import { KindBadge } from './kind-badge.tsx';
import { Moment } from './moment.tsx';

type ErrorListProps = {
  readonly errors: readonly ErrorSummary[];
  readonly now: number;
  readonly label: string;
  /** Whose errors these may be. With one app alone, its name on each line says nothing. */
  readonly apps: readonly AppName[];
};

/** Errors, newest first. On a narrow screen each row folds. */
export function ErrorList({ errors, now, label, apps }: ErrorListProps) {
  const hasApps = apps.length > 1;
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
            {hasApps ? (
              // An app that was deleted has no name any more.
              <td data-beside className="sm:whitespace-nowrap">
                {apps.find(({ id }) => id === error.app)?.name ?? error.app}
              </td>
            ) : null}
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
