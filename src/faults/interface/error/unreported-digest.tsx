import { CarryingFlights } from '#src/faults/interface/digest-flights.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import { appPath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import { ownApp } from '#src/store/own-app.ts';

type UnreportedDigestProps = {
  readonly digest: string;
  readonly flights: readonly FlightSummary[];
  readonly now: number;
};

/** A digest that flights carried and no error was reported under: what it was is known to the app's own log alone. */
export function UnreportedDigest({ digest, flights, now }: UnreportedDigestProps) {
  const app = flights[0]?.app ?? ownApp;
  return (
    <div className="stack-5">
      <title>{`${showDigest(digest, app)} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="text-quiet">
          Digest <code className="text-ink [overflow-wrap:anywhere]">{showDigest(digest, app)}</code>
        </p>
        <h1>Seen in a flight, but not reported</h1>
      </div>
      <p>
        A response of {app} carried this digest. The error itself was not sent here; the log of {app} has it.
        {app === ownApp ? null : (
          <>
            {' '}
            To see the next one here, let <a href={appPath(app)}>{app} report its errors</a>.
          </>
        )}
      </p>
      <CarryingFlights flights={flights} digest={digest} now={now} />
    </div>
  );
}
