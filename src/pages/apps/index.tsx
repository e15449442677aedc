import { listDeletions } from '#src/apps/deletions.ts';
import { countAppUntrusted, countAppErrors, countAppRefusals, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { AddAppForm } from '#src/apps/interface/add-app-form.tsx';
import { AppList } from '#src/pages/_components/apps/app-list.tsx';
import { DeletionList } from '#src/apps/interface/deletion-list.tsx';
import { markDeletions } from '#src/pages/_components/apps/read-app-state.ts';
import { ReloadOnChange } from '#src/apps/interface/reload-on-change.tsx';
import { KeptLinks } from '#src/ui/kept-links.tsx';
import { OwnPages } from '#src/ui/own-pages.tsx';
import { Panel } from '#viewer/panel.tsx';
import { appStatePath } from '#src/server/http/addresses.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';
import { ownApp } from '#src/store/own-app.ts';

export default async function AppsPage() {
  const names = await listAppNames();
  const flights = await countAppFlights(names.map(({ id }) => id));
  const [errors, untrusted, refusals] = [await countAppErrors(), await countAppUntrusted(), await countAppRefusals()];
  const apps = names.map((name) => ({
    ...name,
    flights: flights.get(name.id),
    errors: errors.get(name.id),
    untrusted: untrusted.get(name.id),
    refused: refusals.get(name.id) ?? 0,
  }));
  const deletions = await listDeletions();
  return (
    <div className="stack-5">
      <title>Apps · Flight Recorder</title>
      <OwnPages isAlone={names.length === 1} />
      <div className="stack-2">
        <h1>Apps</h1>
        <p>What is recorded here belongs to an app. Add yours, and copy one command or one line into it.</p>
      </div>
      <Panel title="Recorded here">
        <AppList apps={apps} now={Date.now()} />
        <DeletionList deletions={deletions} />
        {deletions.length > 0 ? <ReloadOnChange address={appStatePath(ownApp)} mark={await markDeletions()} /> : null}
      </Panel>
      <Panel title="Add an app">
        <AddAppForm />
      </Panel>
      <KeptLinks />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
