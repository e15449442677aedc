import { formatBytes, formatDuration } from '#flight';
import type { ReactNode } from 'react';

import { appPath, flightPath, flightsPath } from '#src/server/http/addresses.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { Facts, type Fact } from '#viewer/facts.tsx';
import { EditorLink } from '#src/ui/editor/editor-link.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { parseCaching } from '../flight/parse-caching.ts';
import type { ElidedElement, RecordedFlight } from '../flight/flight-record.ts';
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

function BuildText({ flight: { build, source, app } }: Pick<FlightFactsProps, 'flight'>) {
  if (build === '') return source === 'runtime' && app === ownApp ? 'not built' : 'unknown';
  return (
    <Link to={`${flightsPath}?${new URLSearchParams({ app, build }).toString()}`} prefetch="intent">
      <span className="code">{build}</span>
    </Link>
  );
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

/** What it told caches; none of what is not kept. */
function listCaching({ caching }: RecordedFlight): readonly Fact[] {
  const told = parseCaching(caching);
  if (!told) return [];
  const lines = [
    ...Object.entries(told.headers).map(([name, value]) => `${name}: ${value}`),
    ...(told.setsCookie ? ['set-cookie: (not kept)'] : []),
  ];
  const value = lines.map((line) => (
    <span key={line} className="code block [overflow-wrap:anywhere]">
      {line}
    </span>
  ));
  return lines.length === 0 ? [] : [{ name: 'For caches', value }];
}

/** `–` where it is not known. */
function describeSize(size: number | undefined): string {
  return size === undefined ? '–' : formatBytes(size);
}

/** In development an action of ours is called by its file: `/src/lab/actions/counter.ts#raise`. */
function findActionPlace({ app, actionId = '' }: RecordedFlight): {
  readonly file: string | undefined;
  readonly at: string;
} {
  const [file = '', name = ''] = actionId.split('#');
  return { file: app === ownApp && file.startsWith('/') ? file.slice(1) : undefined, at: name };
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
            <span className="code">
              <EditorLink {...findActionPlace(flight)}>
                {source === undefined ? flight.actionId : `${source} (${flight.actionId})`}
              </EditorLink>
            </span>
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
          { name: 'Flight written in', value: describeWrites(flight) },
          ...optional.filter((fact) => fact !== undefined),
          { name: 'Request id', value: <Id value={flight.requestId} what="request id" /> },
          ...(hits === undefined
            ? [{ name: 'Trace', value: <Id value={flight.traceId} what="trace id" /> }]
            : [{ name: 'Trace', value: 'of many visits' }]),
          { name: 'Build', value: <BuildText flight={flight} /> },
          ...(flight.kind === 'document' && flight.source === 'proxy' && flight.vitals === undefined
            ? [{ name: 'Web Vitals', value: 'unknown: no browser reported them' }]
            : []),
          ...listCaching(flight),
          ...(flight.tabBuild === undefined
            ? []
            : [{ name: 'Tab’s build', value: <span className="code">{flight.tabBuild}</span> }]),
          ...(flight.linkText === undefined
            ? []
            : [
                {
                  name: 'For the link',
                  value: `“${flight.linkText}” at ${flight.linkPlace ?? ''}, as a browser reported`,
                },
              ]),
        ]}
      />
    </Panel>
  );
}
