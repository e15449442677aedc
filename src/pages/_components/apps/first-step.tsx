import '#src/apps/interface/apps.css';
import '#src/flights/interface/flights.css';

import {
  nextInstrumentation,
  remoteProxyCommand,
  rscReporter,
  wakuPlugin,
  writeDsn,
  writeRecorderLine,
  writeRunCommand,
  writeSentryInit,
} from '#src/apps/set-up-texts.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { Panel } from '#viewer/panel.tsx';
import { appPath, flightsPath, homePath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { CopyText } from '#src/ui/copy-text.tsx';
import type { AppSigns } from './read-app-state.ts';
import type { SetUpProps } from './set-up.tsx';
import { Sign } from '#src/apps/interface/sign.tsx';
import { type Way, wayNames, ways } from '#src/apps/interface/way.ts';

type FirstStepProps = Pick<SetUpProps, 'app' | 'place' | 'base'> & {
  readonly way: Way;
  readonly signs: AppSigns;
  readonly now: number;
};

function Signs({ app, signs, now }: Pick<FirstStepProps, 'app' | 'signs' | 'now'>) {
  const isUntrusted = signs.errorAt === undefined && signs.untrustedAt !== undefined;
  return (
    <div className="stack-1">
      <Sign what="flight" time={signs.flightAt} now={now}>
        <Link to={`${flightsPath}${formatAppQuery(app.id)}`} prefetch="intent">
          See its flights
        </Link>
      </Sign>
      <Sign what={isUntrusted ? 'untrusted' : 'error'} time={isUntrusted ? signs.untrustedAt : signs.errorAt} now={now}>
        <a href={`${homePath}${formatAppQuery(app.id)}`}>See its errors</a>
        {isUntrusted ? '. No server has reported an error yet.' : null}
      </Sign>
    </div>
  );
}

function Key({ app, base }: Pick<FirstStepProps, 'app' | 'base'>) {
  return (
    <>
      <p>And in its environment, where to send:</p>
      <CopyText text={writeRecorderLine(app, base)} />
    </>
  );
}

/** What is imported has to be there: the package is not in the registry. */
function Install() {
  return (
    <p className="text-sm text-quiet">
      First <code>npm pack</code> in the clone of Flight Recorder, and <code>npm i</code> with that tarball in the app.
    </p>
  );
}

function Flights({ app }: Pick<FirstStepProps, 'app'>) {
  return (
    <p className="text-sm text-quiet">
      That tells its errors. Its flights come when it is started with the command under{' '}
      <Link to={`${appPath(app.id)}?for=any`} prefetch="intent" scroll={false}>
        {wayNames.any}
      </Link>
      .
    </p>
  );
}

function Step({ way, app, place, base }: Pick<FirstStepProps, 'way' | 'app' | 'place' | 'base'>) {
  switch (way) {
    case 'next':
      return (
        <>
          <p>
            In the app’s first folder, or in <code>src</code> where it has one:
          </p>
          <Install />
          <CopyText text={nextInstrumentation} />
          <Key app={app} base={base} />
          <Flights app={app} />
        </>
      );
    case 'waku':
      return (
        <>
          <p>
            In <code>waku.config.ts</code>:
          </p>
          <Install />
          <CopyText text={wakuPlugin} />
          <p>
            And <code>{'<FlightRecorder>'}</code> of the same module around the children of its outermost layout.
          </p>
          <Key app={app} base={base} />
        </>
      );
    case 'rsc':
      return (
        <>
          <p>
            Where the app calls <code>renderToReadableStream</code> of React’s server:
          </p>
          <Install />
          <CopyText text={rscReporter} />
          <Key app={app} base={base} />
          <Flights app={app} />
        </>
      );
    case 'browser':
      return (
        <>
          <p>In the app’s first module, with the Sentry SDK of its framework:</p>
          <CopyText text={writeSentryInit(writeDsn(app, 'browser', base))} />
        </>
      );
    case 'server':
      return (
        <>
          <p>Before anything else of the app is loaded, with the Sentry SDK of its language:</p>
          <CopyText text={writeSentryInit(writeDsn(app, 'server', base))} />
        </>
      );
    case 'any':
      return place ? (
        <>
          <p>In the app’s folder, with its own command after the two hyphens. Nothing in the app changes:</p>
          <CopyText text={writeRunCommand(app, place, 'npm start')} />
        </>
      ) : (
        <>
          <p>In front of the app, on any machine. Nothing in the app changes:</p>
          <CopyText text={remoteProxyCommand} />
          <Key app={app} base={base} />
        </>
      );
  }
}

/** The one thing that an app of this kind needs, and whether it works. */
export function FirstStep({ way, app, place, base, signs, now }: FirstStepProps) {
  return (
    <Panel title="Set it up">
      <nav aria-label="Built with" className="choice-links">
        <span className="text-quiet">Built with</span>
        {ways.map((one) => (
          <Link
            key={one}
            to={`${appPath(app.id)}?for=${one}`}
            prefetch="intent"
            scroll={false}
            aria-current={one === way ? 'true' : undefined}
          >
            {wayNames[one]}
          </Link>
        ))}
      </nav>
      <Step way={way} app={app} place={place} base={base} />
      <Signs app={app} signs={signs} now={now} />
    </Panel>
  );
}
