import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { NotKeptTable } from '#src/faults/interface/apps/not-kept-table.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Panel } from '#viewer/panel.tsx';
import { appsPath } from '#src/server/http/addresses.ts';
import { listNotKept } from '#src/faults/receive/list-not-kept.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export default async function NotKeptPage() {
  const byApp = Map.groupBy(await listNotKept(), ({ app }) => app);
  const names = new Map((await listAppNames()).map(({ id, name }) => [id, name]));
  const now = Date.now();
  return (
    <div className="stack-5">
      <title>Not kept · Flight Recorder</title>
      <div className="stack-2">
        <h1>Not kept</h1>
        <p>
          Errors and feedback are kept. What else SDKs send, transactions, spans, sessions, replays, logs, is counted
          and dropped, and the SDKs are asked to stop. What they drop themselves they report.
        </p>
      </div>
      {byApp.size === 0 ? (
        <Panel title="Nothing">
          <EmptyState title="Everything that was taken was kept">
            <p>
              That, or nothing was received. <Link to={appsPath}>An app’s page</Link> shows how its SDK sends here, and
              what was refused.
            </p>
          </EmptyState>
        </Panel>
      ) : null}
      {Array.from(byApp, ([app, rows]) => (
        <div key={app} id={app}>
          <Panel title={names.get(app) ?? app}>
            <NotKeptTable rows={rows} label={names.get(app) ?? app} now={now} />
          </Panel>
        </div>
      ))}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
