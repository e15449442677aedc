import { decodeFlight, diffFlights, formatBytes, formatCount, type Flight, type Place } from '#flight';
import { flightDiffPath, flightOneFilePath, flightPath } from '#src/server/http/addresses.ts';
import { AbsoluteTime } from '#src/ui/moment.tsx';
import type { RecordedFlight } from '../flight/flight-record.ts';
import { readSourcesOf } from '../for-operator/sources-of-flight.ts';
import { readPayload } from '../flight/read-payload.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { FlightDiff } from '#viewer/diff/flight-diff.tsx';
import { formatDiffView, parseDiffView, type DiffLinks } from '#viewer/diff/diff-view.ts';
import { formatRowName } from '#viewer/view-hash.ts';

import { FlightsHeading } from './flights-heading.tsx';
import { nameFlight } from './name-flight.ts';

/** A browser reads forty times as many. Here everybody else waits for it, 0.4 s, and the heap grows by up to 80 MB. */
const valuesCompared = 50_000;

type Sides<T> = { readonly before: T; readonly after: T };

function Side({
  sign,
  name,
  recorded,
  flight,
}: {
  sign: string;
  name: string;
  recorded: RecordedFlight;
  flight: Flight;
}) {
  return (
    <span className="flex flex-wrap gap-x-2">
      <span aria-hidden="true">{sign}</span>
      <span>{name}</span>
      <Link to={flightPath(recorded.id)} prefetch="intent" className="inline-block py-1">
        flight {recorded.id}
      </Link>
      <span className="text-quiet [overflow-wrap:anywhere]">
        {recorded.kind} {nameFlight(recorded)}, {formatBytes(flight.bytes.length)},{' '}
        <AbsoluteTime time={recorded.startedAt} />
      </span>
    </span>
  );
}

/** Lists in what two flights are unlike, so that nobody takes it for a change. */
function listUnlike({ before, after }: Sides<RecordedFlight>): string[] {
  const traits: readonly (readonly [name: string, before: string, after: string])[] = [
    ['app', before.app || 'this server', after.app || 'this server'],
    ['route', before.route, after.route],
    ['kind', before.kind, after.kind],
    ['status', String(before.status), String(after.status)],
    ['framework', before.framework ?? 'unknown', after.framework ?? 'unknown'],
  ];
  return traits.filter(([, own, other]) => own !== other).map(([name, own, other]) => `${name} (${own}, ${other})`);
}

function createLinks(recorded: Sides<RecordedFlight>, flights: Sides<Flight>): DiffLinks {
  const address = flightDiffPath(recorded.after.id, recorded.before.id);
  function toRow(side: 'before' | 'after', { row, start, end }: Place): string {
    const bytes = start === undefined || end === undefined ? '' : `&bytes=${start}-${end}`;
    return `${flightPath(recorded[side].id)}#row=${formatRowName(flights[side], row)}${bytes}`;
  }
  return {
    toPlace: (side, place, text, label) => (
      <Link to={toRow(side, place)} prefetch="never" aria-label={label}>
        {text}
      </Link>
    ),
    toView: (view, text) => (
      <Link to={`${address}${formatDiffView(view)}`} prefetch="never">
        {text}
      </Link>
    ),
  };
}

async function decode(recorded: RecordedFlight): Promise<Flight> {
  return decodeFlight(readPayload(recorded), { moduleFiles: await readSourcesOf(recorded) });
}

/** What is different between two recorded flights, whichever they are. `query` says which part of it is shown. */
export async function CompareTwo({ before, after, query }: Sides<RecordedFlight> & { readonly query: string }) {
  const recorded = { before, after };
  const flights = { before: await decode(before), after: await decode(after) };
  const diff = diffFlights(flights.before, flights.after, { values: valuesCompared });
  const unlike = listUnlike(recorded);
  const cut = [before, after].filter(({ isCut }) => isCut).map(({ id }) => `flight ${id}`);
  return (
    <div className="stack-5">
      <title>{`Flights ${before.id} and ${after.id} · Flight Recorder`}</title>
      <FlightsHeading up title="Two flights compared">
        <div className="text-sm">
          <Side sign="−" name="Before:" recorded={before} flight={flights.before} />
          <Side sign="+" name="After:" recorded={after} flight={flights.after} />
          <Link to={flightDiffPath(before.id, after.id)} prefetch="never" className="inline-block py-1">
            Swap before and after
          </Link>
          {' · '}
          <a
            href={flightOneFilePath(after.id, before.id)}
            download={`flights-${before.id}-${after.id}.html`}
            className="inline-block py-1"
          >
            Save as one file with its viewer
          </a>
        </div>
        {unlike.length > 0 ? (
          <p className="text-sm">
            <strong>These two are unlike</strong> in {unlike.join(', ')}.
          </p>
        ) : null}
        {diff.isCut ? (
          <p className="text-sm">
            <strong>Only the first {formatCount(valuesCompared)} values of each were compared.</strong> The one file
            with its viewer compares the rest, too.
          </p>
        ) : null}
        {cut.length > 0 ? (
          <p className="text-sm">
            <strong>Of {cut.join(' and ')} only the beginning was kept</strong>: what seems to be removed may be
            missing.
          </p>
        ) : null}
      </FlightsHeading>
      <FlightDiff diff={diff} view={parseDiffView(query)} links={createLinks(recorded, flights)} />
    </div>
  );
}
