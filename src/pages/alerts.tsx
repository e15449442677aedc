import { listChannels, listDeliveries } from '#src/faults/alerts/channels.ts';
import { currentOutcome } from '#src/faults/alerts/form-outcome.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { AddChannelForm } from '#src/faults/interface/alerts/add-channel-form.tsx';
import { ChannelList } from '#src/faults/interface/alerts/channel-list.tsx';
import { DeliveryList } from '#src/faults/interface/alerts/delivery-list.tsx';
import { OutcomeNotice } from '#src/faults/interface/alerts/outcome-notice.tsx';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { OwnPages } from '#src/ui/own-pages.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Panel } from '#viewer/panel.tsx';

export default async function AlertsPage() {
  const [channels, deliveries] = [await listChannels(), await listDeliveries()];
  const apps = await listAppNames();
  const outcome = currentOutcome();
  const settings = serverSettings();
  const now = Date.now();
  return (
    <div className="stack-5">
      <title>Alerts · Flight Recorder</title>
      <OwnPages isAlone={apps.length === 1} />
      <div className="stack-2">
        <h1>Alerts</h1>
        <p>
          Who is told when a fault is new, comes back, or occurs often. Each channel gets at most one message an hour
          about the same fault.
        </p>
      </div>
      <OutcomeNotice outcome={outcome} />
      <Panel title="Channels">
        {channels.length > 0 ? (
          <ChannelList channels={channels} apps={apps} outcome={outcome} />
        ) : (
          <EmptyState title="Nobody is told">
            <p>
              Faults wait in the list until somebody looks. Add a channel, and a chat, a program of yours or an e-mail
              address is told within seconds.
            </p>
          </EmptyState>
        )}
      </Panel>
      <Panel title="Add a channel">
        <AddChannelForm apps={apps} outcome={outcome} />
        {settings.baseUrl ? null : (
          <p className="text-sm text-quiet">
            Links in messages begin with {publicOrigin(settings)}. Where others read them, set <code>BASE_URL</code> to
            an address that they can open. Under <code>run</code> that variable is the app’s: stop it, start this server
            by itself with <code>FLIGHT_DATA</code> (the same folder), <code>BASE_URL</code> and <code>PORT=4000</code>,
            then start <code>run</code> again, which uses it.
          </p>
        )}
      </Panel>
      <Panel title="Sent">
        <DeliveryList deliveries={deliveries} outcome={outcome} now={now} />
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
