import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { countAppRefusals } from '#src/apps/for-operator/read-apps.ts';
import { KeptLinks } from '#src/ui/kept-links.tsx';
import { Panel } from '#viewer/panel.tsx';
import { BrowserState } from '#src/pages/_components/runtime/browser-state.tsx';
import { Health, type HealthFacts } from '#src/pages/_components/runtime/health.tsx';
import { InstanceList } from '#src/pages/_components/runtime/instance-list.tsx';
import { Reach } from '#src/pages/_components/runtime/reach.tsx';
import { ServerState } from '#src/pages/_components/runtime/server-state.tsx';
import { SettingsTable } from '#src/pages/_components/runtime/settings-table.tsx';
import { StoredCounts } from '#src/pages/_components/runtime/stored-counts.tsx';
import { listInstances } from '#src/access/list-instances.ts';
import { readLoadSample } from '#src/server/http/load.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import type { StoredCounts as Counts } from '#src/faults/kept/error-details.ts';
import { isDatabaseAway } from '#src/faults/kept/keep.ts';
import { countStored } from '#src/faults/kept/queries.ts';
import { openStore } from '#src/store/open-store.ts';

type Instances = Awaited<ReturnType<typeof listInstances>>;

async function readWritable(): Promise<string | undefined> {
  const writable = await (await openStore()).checkWritable();
  switch (writable.status) {
    case 'writable':
      return undefined;
    case 'no-room':
      return 'there is no room';
    case 'failed':
      return writable.reason;
  }
}

async function readHealth(counts: Counts, instances: Instances): Promise<HealthFacts> {
  const isAway = isDatabaseAway();
  const refused = [...(await countAppRefusals()).values()].reduce((all, count) => all + count, 0);
  const recording = readRecordingState();
  return {
    isDatabaseAway: isAway,
    notWritable: isAway ? undefined : await readWritable(),
    unstoredErrors: counts.unstoredErrors,
    drops: recording?.drops,
    isRecordingOff: recording?.policy.mode === 'off',
    load: readLoadSample()?.level ?? 'calm',
    goneInstances: instances.filter(({ presence }) => presence === 'gone').length,
    refused,
  };
}

export default async function RuntimePage() {
  const [counts, instances] = await Promise.all([countStored(), listInstances()]);
  const now = Date.now();
  return (
    <div className="stack-5">
      <title>Runtime · Flight Recorder</title>
      <KnownApps />
      <div className="stack-2">
        <h1>Runtime</h1>
        <p>Whether this recorder is well, then what it is set to and what it is doing now.</p>
      </div>
      <Panel title="Health">
        <Health facts={await readHealth(counts, instances)} />
      </Panel>
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
            <ServerState />
          </Panel>
          <Panel title="Who reaches it">
            <Reach policy={readRecordingState()?.policy} />
          </Panel>
        </div>
      </div>
      {instances.length > 0 ? (
        <Panel title="Instances" word="instance">
          <InstanceList instances={instances} now={now} />
        </Panel>
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
