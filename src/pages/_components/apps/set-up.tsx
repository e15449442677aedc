import type { ReactNode } from 'react';

import type { App } from '#src/apps/apps.ts';
import {
  nextInstrumentation,
  remoteProxyCommand,
  rscReporter,
  type RecorderPlace,
  writeDsn,
  writeProxyCommand,
  writeRecorderLine,
  writeRunCommand,
  writeSentryInit,
} from '#src/apps/set-up-texts.ts';
import { Panel } from '#viewer/panel.tsx';
import { notKeptPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { CopyText } from '#src/ui/copy-text.tsx';

export type SetUpProps = {
  readonly app: App;
  /** Undefined where the data is in PostgreSQL: a command cannot share the folder of the server that made the page. */
  readonly place: RecorderPlace | undefined;
  /** Where the app's machine reaches this server: an origin, with the mount path. */
  readonly base: string;
  /** Only processes of this machine can connect. */
  readonly isLoopback: boolean;
};

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack-2">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function PortsOfProxy() {
  return (
    <>
      <code>--to</code> is where the app listens, <code>--port</code> is what people open from now on.
    </>
  );
}

/** Commands that use the recorder's data folder. */
function BesideRecorder({ app, place }: { app: App; place: RecorderPlace }) {
  return (
    <>
      <Part title="Start the app with the proxy in front of it">
        <CopyText text={writeRunCommand(app, place, 'next start')} />
        <p className="text-sm text-quiet">
          Put the app’s own command after the two hyphens. What fails in Next.js is found in its output too.
        </p>
      </Part>
      <Part title="The app runs already">
        <CopyText text={writeProxyCommand(app, place)} />
        <p className="text-sm text-quiet">
          <PortsOfProxy />
        </p>
      </Part>
    </>
  );
}

/** Shows how the recorder is put in front of the app: for every framework, without a change in the app. */
function Flights({ app, place }: Pick<SetUpProps, 'app' | 'place'>) {
  return (
    <Panel title="Its flights: put a proxy in front">
      <p>For every framework, with no change in the app{place ? '. In the app’s folder:' : ', on any machine:'}</p>
      {place ? <BesideRecorder app={app} place={place} /> : null}
      <Part title={place ? 'The app is on another machine' : 'In front of an app that runs already'}>
        <CopyText text={remoteProxyCommand} />
        <p className="text-sm text-quiet">
          With the address and the key from above in its environment. {place ? null : <PortsOfProxy />}
        </p>
      </Part>
      <p className="text-sm text-quiet">
        Where the package is not installed, write <code>npx</code> and the folder of its clone in place of{' '}
        <code>npx flight-recorder</code>.
      </p>
    </Panel>
  );
}

/** Inside the app: one line, and no proxy. */
function Errors() {
  return (
    <Panel title="Its errors: one line in the app">
      <Part title="Next.js">
        <CopyText text={nextInstrumentation} />
        <p className="text-sm text-quiet">
          In the app’s first folder, or in <code>src</code> where it has one. The digest on its error page then leads to
          the error.
        </p>
      </Part>
      <Part title="React Router, Parcel, Vite’s plugin-rsc, Waku, a server of your own">
        <CopyText text={rscReporter} />
        <p className="text-sm text-quiet">
          Where the app calls <code>renderToReadableStream</code> of React’s server. Its error pages then show a digest
          of their own.
        </p>
      </Part>
    </Panel>
  );
}

/** Shows what to do where the app has an SDK of Sentry: nothing but the DSN changes. */
function SentrySdk({ app, base }: Pick<SetUpProps, 'app' | 'base'>) {
  const browser = writeDsn(app, 'browser', base);
  return (
    <Panel title="From a Sentry SDK: another DSN">
      <p>
        Any SDK of Sentry sends here when it is given one of these. Errors and feedback are kept; the{' '}
        <Link to={`${notKeptPath}#${app.id}`} prefetch="intent">
          rest is counted
        </Link>
        .
      </p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Part title="In browsers">
          <CopyText text={browser} />
          <CopyText text={writeSentryInit(browser)} />
          <p className="text-sm text-quiet">
            Anybody can read this key in a page. So what comes with it is shown as untrusted, and pushes out no error of
            a server.
          </p>
        </Part>
        <Part title="On servers">
          <CopyText text={writeDsn(app, 'server', base)} />
          <p className="text-sm text-quiet">
            Keep it out of what browsers load. The SDKs for Node.js and Python also read it from <code>SENTRY_DSN</code>
            .
          </p>
        </Part>
      </div>
    </Panel>
  );
}

/** Every way, by where what is copied goes: folded below the one that the app needs first. */
export function SetUp({ app, place, base, isLoopback }: SetUpProps) {
  return (
    <details>
      <summary>All ways to set it up, and its keys</summary>
      <div className="stack-4 pt-3">
        <Panel title="The address and the key">
          <CopyText text={writeRecorderLine(app, base)} />
          <p className="text-sm text-quiet">
            Set it in the environment of whatever sends: the app with the line below, or a proxy on another machine. Who
            has it can send for this app, and read nothing.
            {isLoopback
              ? ' Only this machine can reach this address. For others, start the server with HOST and BASE_URL.'
              : ''}
          </p>
        </Panel>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Flights app={app} place={place} />
          <Errors />
        </div>
        <SentrySdk app={app} base={base} />
      </div>
    </details>
  );
}
