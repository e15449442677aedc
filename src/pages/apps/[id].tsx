import { countOf } from '#flight';
import { unstable_notFound as notFound } from 'waku/router/server';

import { countAppErrors, findApp, readRefusals } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/components/app-query.ts';
import { DeleteAppForm } from '#src/components/apps/delete-app-form.tsx';
import { markAppNews, readAppSigns } from '#src/components/apps/read-app-news.ts';
import { RecordForm } from '#src/components/apps/record-form.tsx';
import { RefusalList } from '#src/components/apps/refusal-list.tsx';
import { ReloadOnNews } from '#src/components/apps/reload-on-news.tsx';
import { RenameAppForm } from '#src/components/apps/rename-app-form.tsx';
import { RenewKeysForm } from '#src/components/apps/renew-keys-form.tsx';
import { SetUp } from '#src/components/apps/set-up.tsx';
import { SourceMaps } from '#src/components/apps/source-maps.tsx';
import { Panel } from '#src/components/panel.tsx';
import { readSetting } from '#src/environment/read-setting.ts';
import { appNewsPath, appsPath, flightsPath, homePath, mountPath } from '#src/http/addresses.ts';
import { publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { countAppFlights } from '#src/recorder/for-operator/app-counts.ts';
import { WhyFewFlights } from '#src/components/flights/why-few-flights.tsx';
import { describePolicy } from '#src/components/flights/describe-policy.ts';
import { readPolicy } from '#src/recorder/policy.ts';
import { readUploads } from '#src/reports/source-maps/read-uploads.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export default async function AppPage({ id }: { id: string }) {
  const app = await findApp(id);
  if (!app) notFound();
  const signs = await readAppSigns(id);
  const flights = (await countAppFlights([id])).get(id)?.flights ?? 0;
  const errors = (await countAppErrors()).get(id)?.errors ?? 0;
  const settings = serverSettings();
  const isWaiting = signs.flightAt === undefined || signs.errorAt === undefined;
  const base = `${publicOrigin(settings)}${mountPath}`;
  const now = Date.now();

  return (
    <div className="stack-5">
      <title>{`${app.name} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="text-quiet">
          <Link to={appsPath} prefetch="intent">
            Apps
          </Link>
        </p>
        <h1 className="[overflow-wrap:anywhere]">{app.name}</h1>
        <p className="flex flex-wrap gap-x-4">
          <a href={`${flightsPath}${formatAppQuery(id)}`}>{countOf(flights, 'flight')}</a>
          <a href={`${homePath}${formatAppQuery(id)}`}>{countOf(errors, 'error')}</a>
        </p>
        <WhyFewFlights app={id} />
        {isWaiting ? <ReloadOnNews address={appNewsPath(id)} mark={await markAppNews(id)} /> : null}
        {isWaiting ? <noscript>Reload this page to see what has come.</noscript> : null}
      </div>
      <SetUp
        app={app}
        place={readSetting('DATABASE_URL') ? undefined : { folder: dataFolder(), port: settings.port }}
        base={base}
        isLoopback={settings.isLoopback && settings.baseUrl === undefined}
        signs={signs}
        now={now}
      />
      <SourceMaps app={app} base={base} uploads={await readUploads(id)} now={now} />
      <Panel title="Refused">
        <RefusalList refusals={await readRefusals(id)} now={now} />
      </Panel>
      <Panel title="Settings">
        <RenameAppForm id={id} name={app.name} />
        <RecordForm id={id} record={app.record} standard={describePolicy(readPolicy(readSetting))} />
        <RenewKeysForm id={id} />
        <DeleteAppForm
          id={id}
          name={app.name}
          stored={`${countOf(flights, 'flight')} with ${flights === 1 ? 'its payload' : 'their payloads'}, ${countOf(errors, 'error')}`}
        />
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
