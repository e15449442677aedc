import { formatBytes, formatDuration } from '#flight';
import type { ReactNode } from 'react';

import { appPath, flightPath } from '#src/http/addresses.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { Facts, type Fact } from '#src/components/facts.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { ElidedElement, RecordedFlight } from '#src/recorder/flight-record.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeHits, PrefetchOutcomeTag, OutcomeTags, RenderingTag, StatusText } from './flight-tags.tsx';

function Id({ value, what }: { value: string; what: string }): ReactNode {
  return (
    <span className="flex items-baseline justify-between gap-3">
      <span className="code min-w-0">{value}</span>
      <CopyButton text={value} what={what} className="button-small" />
    </span>
  );
}

function Elided({ elided }: { elided: readonly ElidedElement[] }) {
  return (
    <ul className="list-none p-0">
      {elided.map(({ element, from }) => (
        <li key={element}>
          <span className="code">{element}</span>{' '}
          {from === undefined ? (
            <span className="text-quiet">from a flight that is not recorded</span>
          ) : (
            <>
              {from.isCertain ? 'from ' : 'probably from '}
              <Link to={flightPath(from.id)} prefetch="intent">
                flight {from.id}
              </Link>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function describeWrites(flight: RecordedFlight): string {
  const each = flight.lastAt === undefined ? '' : ' each';
  const writes = `${flight.writes} ${flight.writes === 1 ? 'chunk' : 'chunks'}${each}`;
  const kept = flight.isCut ? `, of which ${formatBytes(flight.body.length)} were kept` : '';
  const debug = flight.debug ? `; ${formatBytes(flight.debug.length)} of debug rows beside it` : '';
  return `${writes}${kept}${debug}`;
}

type FlightFactsProps = {
  readonly flight: RecordedFlight;
  readonly now: number;
  /** Of an action: its file. */
  readonly source: string | undefined;
  readonly apps: readonly AppName[];
};

/** Only where there are several apps, or something is known that is not so of every flight. */
function listAppFacts({ app, framework }: RecordedFlight, apps: readonly AppName[]): readonly Fact[] {
  const named = apps.find(({ id }) => id === app);
  const isSetUp = named !== undefined && !named.isOwn;
  const value = isSetUp ? <Link to={appPath(app)}>{named.name}</Link> : (named?.name ?? app);
  return [
    ...(apps.length > 1 ? [{ name: 'App', value }] : []),
    ...(framework === undefined ? [] : [{ name: 'Framework', value: framework }]),
  ];
}

/** `–` where it is not known. */
function describeSize(size: number | undefined): string {
  return size === undefined ? '–' : formatBytes(size);
}

/** What is recorded besides the payload. */
export function FlightFacts({ flight, now, source, apps }: FlightFactsProps) {
  const first = flight.firstByteMs === undefined ? '' : `, first byte after ${formatDuration(flight.firstByteMs)}`;
  const hits = describeHits(flight);
  const optional: readonly (Fact | undefined)[] = [
    flight.actionId === undefined
      ? undefined
      : {
          name: 'Action',
          value: (
            <span className="code">{source === undefined ? flight.actionId : `${source} (${flight.actionId})`}</span>
          ),
        },
    flight.elements.length === 0
      ? undefined
      : { name: 'Carries', value: <span className="code">{flight.elements.join(', ')}</span> },
    flight.elided.length === 0 ? undefined : { name: 'Left out', value: <Elided elided={flight.elided} /> },
  ];
  return (
    <Panel title="Response">
      <Facts
        facts={[
          ...(hits === undefined ? [] : [{ name: 'Counted', value: `${hits}. What follows is the first of them.` }]),
          { name: 'Time', value: <Moment time={flight.startedAt} now={now} /> },
          ...listAppFacts(flight, apps),
          { name: 'Route', value: <span className="code">{flight.route}</span> },
          {
            name: 'Status',
            value: (
              <span className="flex flex-wrap gap-x-2">
                <StatusText status={flight.status} />
                <RenderingTag rendering={flight.rendering} />
                <PrefetchOutcomeTag flight={flight} />
                <OutcomeTags flight={flight} />
              </span>
            ),
          },
          { name: 'Took', value: `${formatDuration(flight.durationMs)}${first}` },
          { name: 'Flight', value: describeSize(flight.sizes.flight) },
          { name: 'Response', value: describeSize(flight.sizes.response) },
          { name: 'Transferred', value: describeSize(flight.sizes.transferred) },
          { name: 'Written in', value: describeWrites(flight) },
          ...optional.filter((fact) => fact !== undefined),
          { name: 'Request id', value: <Id value={flight.requestId} what="request id" /> },
          ...(hits === undefined
            ? [{ name: 'Trace', value: <Id value={flight.traceId} what="trace id" /> }]
            : [{ name: 'Trace', value: 'of many visits' }]),
          // Another app's build is not known.
          ...(flight.source === 'runtime'
            ? [{ name: 'Build', value: <span className="code">{flight.build || 'not built'}</span> }]
            : []),
        ]}
      />
    </Panel>
  );
}
