import { countOf } from '#flight';
import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { appsPath } from '#src/server/http/addresses.ts';
import { parseFlightQuery } from '#src/flights/interface/flight-query.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { FlightsTabs } from '#src/flights/interface/flights-tabs.tsx';
import { TriesTable } from '#src/flights/interface/tries-table.tsx';
import { listLeaks } from '#src/flights/for-operator/list-leaks.ts';
import { CachesTable, SecretsTable } from '#src/flights/interface/leaks-table.tsx';
import { listTries } from '#src/flights/for-operator/list-tries.ts';
import { listStorms } from '#src/flights/for-operator/list-storms.ts';
import { StormsTable } from '#src/flights/interface/storms-table.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Panel } from '#viewer/panel.tsx';

export default async function GuardPage({ query: search }: { query: string }) {
  const { app } = parseFlightQuery(search);
  const query = { ...parseFlightQuery(''), app };
  const [{ tries, totals }, { secrets, caches }, storms] = await Promise.all([
    listTries(app),
    listLeaks(app),
    listStorms(app),
  ]);
  const now = Date.now();
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  return (
    <div className="stack-3">
      <title>Guard · Flight Recorder</title>
      <KnownApps />
      <FlightsHeading title="Guard" />
      <section className="panel" aria-labelledby="shown">
        <h2 id="shown" className="sr-only">
          Forged requests
        </h2>
        <FlightsTabs query={query} shown="guard" />
        <div className="stack-3 px-4 py-3">
          <p>
            Requests to server functions that no client of React could have written.
            {count > 0 ? ` ${countOf(count, 'try', 'tries')} so far.` : null}
          </p>
          {tries.length > 0 ? (
            <TriesTable tries={tries} now={now} />
          ) : (
            <EmptyState title="Nobody tried anything">
              <p>
                Each recorded call of a server function is looked at. <Link to={appsPath}>An app’s page</Link> says
                whether it is recorded.
              </p>
            </EmptyState>
          )}
          <p className="text-sm text-quiet">
            One row counts what was of the same kind, from the same network, with the same answer; what is shown of it
            is the first. Addresses are kept as networks. A script that calls an action with JSON of its own is shown
            here, too: it is no client of React.
          </p>
        </div>
      </section>
      <Panel title="Secrets in payloads">
        {secrets.length > 0 ? (
          <SecretsTable secrets={secrets} now={now} />
        ) : (
          <EmptyState title="No secret was found">
            <p>Each recorded payload is looked at for keys, hashes of passwords and the like.</p>
          </EmptyState>
        )}
        <p className="text-sm text-quiet">
          One row counts the responses in which a secret was found in one place: at least so many, since a busy server
          looks at some of them only. The secret itself is not kept here. Every visitor of the page can read it: replace
          it, and pass only what the component shows.
        </p>
      </Panel>
      <Panel title="Answers in caches">
        {caches.length > 0 ? (
          <CachesTable caches={caches} now={now} />
        ) : (
          <EmptyState title="No cache is told to mix answers up">
            <p>What each recorded answer of another app tells caches is looked at.</p>
          </EmptyState>
        )}
        <p className="text-sm text-quiet">
          One row counts the responses of a route that a cache may give to the wrong visitors. This is seen where the
          recorder stands: what a CDN in front of it changes or keeps against these headers is not.
        </p>
      </Panel>
      <Panel title="Storms">
        {storms.length > 0 ? (
          <StormsTable storms={storms} now={now} />
        ) : (
          <EmptyState title="No tab asks for the same again and again">
            <p>What each tab asks for is counted, minute by minute.</p>
          </EmptyState>
        )}
        <p className="text-sm text-quiet">
          One row is a tab that has asked for few pages 300 times within a minute, or more. A month is what it would be
          if it went on like that. Who is one tab of another app is a guess.
        </p>
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
