import { countOf } from '#flight';
import { unstable_notFound as notFound } from 'waku/router/server';

import { countAppUntrusted, countAppErrors, findApp, readRefusals } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { deleteApp } from '#src/flights/actions/delete-app.ts';
import { AdvisoryList } from '#src/pages/_components/apps/advisory-list.tsx';
import { DeleteAppForm } from '#src/apps/interface/delete-app-form.tsx';
import { describeAppErrors } from '#src/apps/interface/describe-app-errors.ts';
import { markAppState, readAppSigns } from '#src/pages/_components/apps/read-app-state.ts';
import { RecordForm } from '#src/apps/interface/record-form.tsx';
import { RefusalList } from '#src/apps/interface/refusal-list.tsx';
import { ReloadOnChange } from '#src/apps/interface/reload-on-change.tsx';
import { RenameAppForm } from '#src/apps/interface/rename-app-form.tsx';
import { RenewKeysForm } from '#src/apps/interface/renew-keys-form.tsx';
import { FirstStep } from '#src/pages/_components/apps/first-step.tsx';
import { SetUp } from '#src/pages/_components/apps/set-up.tsx';
import { chooseWay } from '#src/apps/interface/way.ts';
import { SourceMaps } from '#src/faults/interface/apps/source-maps.tsx';
import { OwnPages } from '#src/ui/own-pages.tsx';
import { Panel } from '#viewer/panel.tsx';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { appBuildsPath, appStatePath, appsPath, flightsPath, homePath, mountPath } from '#src/server/http/addresses.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';
import { listKept, type Kept } from '#src/flights/for-operator/list-kept.ts';
import { listInstalled } from '#src/flights/for-operator/list-installed.ts';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { describePolicy } from '#src/flights/interface/describe-policy.ts';
import { appProgram } from '#src/access/operator-command.ts';
import { currentMadeToken, listUploadTokens } from '#src/access/api-tokens.ts';
import { readPolicy } from '#src/apps/policy.ts';
import { readUploads } from '#src/faults/source-maps/read-uploads.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** What is kept of an app that has no setting of its own. */
function describeStandard(kept: Kept | undefined): string {
  if (kept?.saidBy === 'recorder') return `as what records it says: ${describePolicy(kept.usual)}`;
  const server = describePolicy(readPolicy(readSetting));
  return kept?.saidBy === 'server' ? `as the server: ${server}` : 'as what records it says';
}

export default async function AppPage({ id, query }: { id: string; query: string }) {
  const app = await findApp(id);
  if (!app) notFound();
  const signs = await readAppSigns(id);
  const ofFlights = (await countAppFlights([id])).get(id);
  const ofErrors = (await countAppErrors()).get(id);
  const [flights, errors] = [ofFlights?.flights ?? 0, ofErrors?.errors ?? 0];
  const untrusted = (await countAppUntrusted()).get(id)?.untrusted ?? 0;
  const settings = serverSettings();
  const isWaiting = signs.flightAt === undefined || signs.errorAt === undefined;
  const base = `${publicOrigin(settings)}${mountPath}`;
  const place = readSetting('DATABASE_URL')
    ? undefined
    : { folder: dataFolder(), port: settings.port, program: appProgram() };
  const framework = ofFlights?.framework || ofErrors?.framework;
  const way = chooseWay(query, { framework, isOfBrowsers: untrusted > 0 && errors === 0 });
  const now = Date.now();

  return (
    <div className="stack-5">
      <title>{`${app.name} · Flight Recorder`}</title>
      <OwnPages isAlone={false} />
      <div className="stack-2">
        <p className="text-quiet">
          <Link to={appsPath} prefetch="intent">
            Apps
          </Link>
        </p>
        <h1 className="[overflow-wrap:anywhere]">{app.name}</h1>
        <p className="flex flex-wrap gap-x-4">
          <a href={`${flightsPath}${formatAppQuery(id)}`}>{countOf(flights, 'flight')} kept</a>
          <a href={`${homePath}${formatAppQuery(id)}`}>{describeAppErrors(errors, untrusted)}</a>
          <Link to={appBuildsPath(id)} prefetch="intent">
            Builds
          </Link>
          {errors === 0 && untrusted > 0 ? (
            <span className="text-quiet">Untrusted: no server has reported an error yet.</span>
          ) : null}
        </p>
        <WhyFewFlights app={id} />
        {isWaiting ? <ReloadOnChange address={appStatePath(id)} mark={await markAppState(id)} /> : null}
        {isWaiting ? <noscript>Reload this page to see what has come.</noscript> : null}
      </div>
      <AdvisoryList packages={await listInstalled(id)} now={now} />
      <FirstStep way={way} app={app} place={place} base={base} signs={signs} now={now} />
      <SetUp app={app} place={place} base={base} isLoopback={settings.isLoopback && settings.baseUrl === undefined} />
      <SourceMaps
        app={app}
        base={base}
        uploads={await readUploads(id)}
        tokens={await listUploadTokens(id)}
        made={currentMadeToken()}
        now={now}
      />
      <Panel title="Refused">
        <RefusalList refusals={await readRefusals(id)} now={now} />
      </Panel>
      <Panel title="Settings">
        <RenameAppForm id={id} name={app.name} />
        <RecordForm id={id} record={app.record} standard={describeStandard((await listKept()).get(id))} />
        <RenewKeysForm id={id} />
        <DeleteAppForm
          onDelete={deleteApp}
          id={id}
          name={app.name}
          stored={`${countOf(flights, 'flight')} with ${flights === 1 ? 'its payload' : 'their payloads'}, ${describeAppErrors(errors, untrusted)}`}
        />
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
