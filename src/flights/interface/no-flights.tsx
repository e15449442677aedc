import { appPath, appsPath, experimentPath, flightsPath } from '#src/server/http/addresses.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';
import type { Kept } from '#src/flights/for-operator/list-kept.ts';
import type { StoredRecording } from '#src/flights/for-operator/recording-state.ts';

import { describePolicy } from './describe-policy.ts';
import { formatFlightQuery, withoutFilter, type FlightQuery } from './flight-query.ts';
import { RecordEverything } from './record-everything.tsx';

type NoFlightsProps = {
  readonly recording: StoredRecording | undefined;
  readonly isFiltered: boolean;
  /** The app that the list is of, where there are several. */
  readonly app: AppName | undefined;
  /** What is kept of it. */
  readonly kept?: Kept | undefined;
  readonly query: FlightQuery;
  /** There are other apps, and the list is of them alone. */
  readonly isOfOthers: boolean;
  /** Nothing else on the page says what is recorded, and offers more for a while. */
  readonly isAlone?: boolean;
};

/** Shows why there are no flights, and what a person can do about it. */
export function NoFlights({ recording, isFiltered, app, query, isOfOthers, kept, isAlone = false }: NoFlightsProps) {
  if (isFiltered && recording && recording.flights > 0) {
    return (
      <EmptyState title="No flight like this">
        <p>
          None of the flights that were searched matches.{' '}
          <a href={`${flightsPath}${formatFlightQuery(withoutFilter({ ...query, order: undefined }))}`}>
            Show all flights
          </a>
          .
        </p>
      </EmptyState>
    );
  }
  if (app && !app.isOwn) {
    return (
      <EmptyState title={`No flight of ${app.name} yet`}>
        <p>
          {kept?.saidBy === 'recorder'
            ? `What is in front of it keeps ${describePolicy(kept.now)}. They are listed here as soon as there are some.`
            : 'Its flights are listed here as soon as a proxy stands in front of it.'}{' '}
          <Link to={appPath(app.id)}>See how it is set up</Link>.
        </p>
      </EmptyState>
    );
  }
  if (isOfOthers) {
    return (
      <EmptyState title="No flight of another app yet">
        <p>
          Their flights are listed here, as soon as what is in front of one keeps any.{' '}
          <Link to={appsPath}>See the apps</Link>, or look at{' '}
          <Link to={`${flightsPath}${formatFlightQuery({ ...query, isWithOwn: true })}`}>
            what Flight Recorder itself sent
          </Link>
          .
        </p>
      </EmptyState>
    );
  }
  if (recording?.policy.mode === 'off') {
    return (
      <EmptyState title="Nothing is recorded">
        <p>
          Recording is off. Start the server with <code>RECORD=all</code>, or with <code>RECORD=errors</code> to keep
          what fails.
        </p>
      </EmptyState>
    );
  }
  if (recording?.policy.mode === 'errors') {
    return (
      <EmptyState title="No flight has failed">
        <p>
          Only flights that fail are recorded here.{' '}
          <a href={experimentPath('throw-after-shell')}>Break a page on purpose</a>, or record everything for a while.
        </p>
        {isAlone ? <RecordEverything app={ownApp} until={recording.allUntil} /> : null}
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No flight is listed yet">
      <p>
        Every page, navigation, prefetch and server action from now on is listed here, a moment after it happened. For
        something to look at, open <Link to={experimentPath('streaming')}>a page that streams</Link>,{' '}
        <Link to={experimentPath('prefetch')}>one with many links</Link> or{' '}
        <Link to={experimentPath('actions')}>one with server actions</Link>, and come back.
      </p>
    </EmptyState>
  );
}
