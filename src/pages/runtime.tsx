import { KeptLinks } from '#src/components/kept-links.tsx';
import { Panel } from '#src/components/panel.tsx';
import { BrowserState } from '#src/components/runtime/browser-state.tsx';
import { ServerState } from '#src/components/runtime/server-state.tsx';
import { SettingsTable } from '#src/components/runtime/settings-table.tsx';
import { StoredCounts } from '#src/components/runtime/stored-counts.tsx';
import { countStored } from '#src/reports/queries.ts';

export default async function RuntimePage() {
  const counts = await countStored();
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
            <StoredCounts counts={counts} now={Date.now()} />
            <KeptLinks />
          </Panel>
        </div>
        <div className="grid gap-4">
          <Panel title="In this browser">
            <BrowserState />
          </Panel>
          <Panel title="On the server">
            <ServerState />
          </Panel>
        </div>
      </div>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
