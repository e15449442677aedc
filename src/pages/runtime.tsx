import { KeptLinks } from '#src/components/kept-links.tsx';
import { Panel } from '#src/components/panel.tsx';
import { BrowserState } from '#src/components/runtime/browser-state.tsx';
import { InstanceList } from '#src/components/runtime/instance-list.tsx';
import { ServerState } from '#src/components/runtime/server-state.tsx';
import { SettingsTable } from '#src/components/runtime/settings-table.tsx';
import { StoredCounts } from '#src/components/runtime/stored-counts.tsx';
import { listInstances } from '#src/operator/list-instances.ts';
import { countStored } from '#src/reports/queries.ts';
import { thisWorker } from '#src/workers/this-worker.ts';

export default async function RuntimePage() {
  const [counts, instances] = await Promise.all([countStored(), listInstances()]);
  const now = Date.now();
  return (
    <div className="stack-5">
      <title>Runtime · Flight Recorder</title>
      <div className="stack-2">
        <h1>Runtime</h1>
        <p>What this app’s runtime is set to, and what it is doing now.</p>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid gap-4">
          <Panel title="Settings">
            <SettingsTable />
          </Panel>
          <Panel title="In the store">
            <StoredCounts counts={counts} now={now} />
            <KeptLinks />
          </Panel>
        </div>
        <div className="grid gap-4">
          <Panel title="In this browser">
            <BrowserState />
          </Panel>
          <Panel title="On the server">
            <ServerState worker={thisWorker()} />
          </Panel>
        </div>
      </div>
      {instances.length > 0 ? (
        <Panel title="Instances">
          <InstanceList instances={instances} now={now} />
        </Panel>
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
