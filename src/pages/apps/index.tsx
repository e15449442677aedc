import { listDeletions } from '#src/apps/deletions.ts';
import { countAppErrors, countAppRefusals, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { AddAppForm } from '#src/components/apps/add-app-form.tsx';
import { AppList } from '#src/components/apps/app-list.tsx';
import { DeletionList } from '#src/components/apps/deletion-list.tsx';
import { markDeletions } from '#src/components/apps/read-app-news.ts';
import { ReloadOnNews } from '#src/components/apps/reload-on-news.tsx';
import { KeptLinks } from '#src/components/kept-links.tsx';
import { Panel } from '#src/components/panel.tsx';
import { appNewsPath } from '#src/http/addresses.ts';
import { countAppFlights } from '#src/recorder/for-operator/app-counts.ts';
import { ownApp } from '#src/store/own-app.ts';

export default async function AppsPage() {
  const names = await listAppNames();
  const flights = await countAppFlights(names.map(({ id }) => id));
  const [errors, refusals] = [await countAppErrors(), await countAppRefusals()];
  const apps = names.map((name) => ({
    ...name,
    flights: flights.get(name.id),
    errors: errors.get(name.id),
    refused: refusals.get(name.id) ?? 0,
  }));
  const deletions = await listDeletions();
  return (
    <div className="stack-5">
      <title>Apps · Flight Recorder</title>
      <div className="stack-2">
        <h1>Apps</h1>
        <p>What is recorded here belongs to an app. Add yours, and copy one command or one line into it.</p>
      </div>
      <Panel title="Recorded here">
        <AppList apps={apps} now={Date.now()} />
        <DeletionList deletions={deletions} />
        {deletions.length > 0 ? <ReloadOnNews address={appNewsPath(ownApp)} mark={await markDeletions()} /> : null}
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
