import '#src/faults/interface/faults/faults.css';

import { formatCount } from '#flight';
import type { AppUntrusted, AppErrors, AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { ErrorCount } from '#src/faults/interface/faults/error-count.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { appPath, flightsPath, homePath } from '#src/server/http/addresses.ts';
import type { AppFlights } from '#src/flights/for-operator/app-counts.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { TableHead } from '#viewer/table-head.tsx';

export type ListedApp = AppName & {
  readonly flights: AppFlights | undefined;
  readonly errors: AppErrors | undefined;
  readonly untrusted: AppUntrusted | undefined;
  readonly refused: number;
};

function Row({ app, now }: { app: ListedApp; now: number }) {
  const { id, name, isOwn, flights, errors, untrusted, refused } = app;
  const times = [flights?.lastAt, errors?.lastAt, untrusted?.lastAt].filter((time) => time !== undefined);
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
          <ErrorCount count={errors?.errors ?? 0} untrusted={untrusted?.untrusted ?? 0} />
          <span className="sr-only"> of {name}, as errors</span>
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
      <TableHead columns={['App', 'Framework', 'Last', 'Flights', 'Errors', 'Refused']} />
      <tbody>
        {apps.map((app) => (
          <Row key={app.id} app={app} now={now} />
        ))}
      </tbody>
    </table>
  );
}
