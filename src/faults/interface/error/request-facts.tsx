import type { ReactNode } from 'react';

import { type Fact, Facts } from '#viewer/facts.tsx';
import { type Carrier, findCarrier } from '#src/flights/interface/find-carrier.ts';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { DigestLink } from '#src/ui/digest-link.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { flightPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import type { StoredError } from '#src/faults/kept/error-details.ts';
import { ownApp } from '#src/store/own-app.ts';

const phases: Record<StoredError['phase'], string> = {
  rsc: 'rendering server components',
  ssr: 'rendering client components on the server',
  action: 'running a server action',
  document: 'before anything was rendered',
  'page-data': 'fetching page data',
  process: 'outside of any request',
  route: 'running a route handler',
  proxy: 'in the app’s proxy or middleware',
  unknown: 'it came without one',
  answer: 'a proxy saw the answer',
};

function Id({ value, what }: { value: string; what: string }): ReactNode {
  if (!value) return <span className="text-quiet">none</span>;
  return (
    <span className="flex items-baseline justify-between gap-3">
      <span className="code min-w-0">{value}</span>
      <CopyButton text={value} what={what} className="button-small" />
    </span>
  );
}

/** What only errors of other apps have. */
function listAppFacts(error: StoredError): readonly { readonly name: string; readonly value: ReactNode }[] {
  if (error.app === ownApp) return [];
  const { app, framework, route, runtime } = error;
  return [
    { name: 'App', value: <span className="code">{app}</span> },
    ...[
      { name: 'Framework', value: framework },
      // Where no pattern is known, it is the path, which stands below.
      { name: 'Route', value: route === error.path ? '' : route },
      { name: 'Runtime', value: runtime },
    ].flatMap(({ name, value }) => (value === '' ? [] : [{ name, value: <span className="code">{value}</span> }])),
  ];
}

/** What it says of its request itself, else what the flight that carried its digest does, marked as such. */
function listRequest({ kind, method, path }: StoredError, found: Carrier | undefined): readonly Fact[] {
  const carrier = found?.flight;
  const route = carrier ? nameFlight(carrier) : `${method} ${path}`.trim() || 'not known';
  const from = carrier ? (
    <>
      {' '}
      <Link to={flightPath(carrier.id)} prefetch="never" className="text-sm">
        {found?.pages === 1
          ? 'from the flight that carried its digest'
          : `perhaps: flights of ${found?.pages} pages carried its digest at that moment`}
      </Link>
    </>
  ) : null;
  return [
    { name: 'Kind', value: <KindBadge kind={carrier?.kind ?? kind} /> },
    {
      name: 'Request',
      value: (
        <>
          <span className="code">{route}</span>
          {from}
        </>
      ),
    },
  ];
}

/** An SDK says no phase, so its absence tells nothing; of an error that was read from the app's output it does. */
function listPhase({ phase, said }: StoredError): readonly Fact[] {
  if (phase === 'unknown' && said.sdk !== '') return [];
  const value = (
    <span>
      <span className="code">{phase}</span>, {phases[phase]}
    </span>
  );
  return [{ name: 'Phase', word: 'phase', value }];
}

function listPrinted({ printedDigest, app }: StoredError): readonly Fact[] {
  if (printedDigest === null) return [];
  const value = (
    <span>
      <DigestLink digest={printedDigest} app={app} />, which another error has
    </span>
  );
  return [{ name: 'Printed with', value }];
}

/** The request in which the error occurred, with the ids that its log lines and its trace have. */
export async function RequestFacts({ error, now }: { error: StoredError; now: number }) {
  const carrier = await findCarrier(error);
  return (
    <Panel title="Request">
      <Facts
        facts={[
          { name: 'Time', value: <Moment time={error.time} now={now} /> },
          ...listAppFacts(error),
          ...listRequest(error, carrier),
          ...listPhase(error),
          ...listPrinted(error),
          { name: 'Request id', value: <Id value={error.requestId} what="request id" /> },
          { name: 'Trace', value: <Id value={error.traceId} what="trace id" /> },
          {
            name: 'Release',
            value: (
              <span className="code">{error.release || (error.app === ownApp ? 'not built' : 'not reported')}</span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
