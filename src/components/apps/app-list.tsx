import { formatCount } from '#flight';
import type { AppErrors, AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/components/app-query.ts';
import { Moment } from '#src/components/moment.tsx';
import { appPath, flightsPath, homePath } from '#src/http/addresses.ts';
import type { AppFlights } from '#src/recorder/for-operator/app-counts.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export type ListedApp = AppName & {
  readonly flights: AppFlights | undefined;
  readonly errors: AppErrors | undefined;
  readonly refused: number;
};

function Row({ app, now }: { app: ListedApp; now: number }) {
  const { id, name, isOwn, flights, errors, refused } = app;
  const times = [flights?.lastAt, errors?.lastAt].filter((time) => time !== undefined);
  const framework = flights?.framework ?? errors?.framework;
  return (
    <tr>
      <th scope="row" className="sm:w-full">
        {isOwn ? (
          <>
            {name} <span className="block font-normal text-quiet">these pages and the lab</span>
          </>
        ) : (
          <Link to={appPath(id)} prefetch="intent">
            {name}
          </Link>
        )}
      </th>
      <td data-label="Framework">{isOwn ? 'waku' : framework || <span className="text-quiet">not known yet</span>}</td>
      <td data-label="Last" className="whitespace-nowrap">
        {times.length > 0 ? <Moment time={Math.max(...times)} now={now} isDense /> : 'nothing yet'}
      </td>
      <td data-label="Flights">
        <a href={`${flightsPath}${formatAppQuery(id)}`}>
          {formatCount(flights?.flights ?? 0)}
          <span className="sr-only"> flights of {name}</span>
        </a>
      </td>
      <td data-label="Errors">
        <a href={`${homePath}${formatAppQuery(id)}`}>
          {formatCount(errors?.errors ?? 0)}
          <span className="sr-only"> errors of {name}</span>
        </a>
      </td>
      <td data-label="Refused">
        <span className={refused > 0 ? 'font-semibold text-error' : ''}>{formatCount(refused)}</span>
      </td>
    </tr>
  );
}

/** The apps with what is recorded of each. On a narrow screen each row folds. */
export function AppList({ apps, now }: { apps: readonly ListedApp[]; now: number }) {
  return (
    <table className="fold" aria-label="Apps">
      <thead>
        <tr>
          <th scope="col">App</th>
          <th scope="col">Framework</th>
          <th scope="col">Last</th>
          <th scope="col">Flights</th>
          <th scope="col">Errors</th>
          <th scope="col">Refused</th>
        </tr>
      </thead>
      <tbody>
        {apps.map((app) => (
          <Row key={app.id} app={app} now={now} />
        ))}
      </tbody>
    </table>
  );
}
