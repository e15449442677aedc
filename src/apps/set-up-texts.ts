import path from 'node:path';

import type { App } from './apps.ts';
import { formatRecorderUrl } from '#report/recorder-url.ts';

/** What somebody copies to have an app recorded. docs/command.md explains the commands. */
export type SetUpText = {
  /** Completes "Copy …". */
  readonly what: string;
  readonly text: string;
};

/** Where the recorder is, for a command that is started beside it. */
export type RecorderPlace = {
  /** The data folder. */
  readonly folder: string;
  /** At which this server listens: nothing else can. */
  readonly port: number;
  /** The command line's name, in the folder of an app. */
  readonly program: string;
};

const usualPort = 3000;
const freePort = 8080;

/** `FLIGHT_RECORDER=…`, with the app's secret key in it. @param base where the app's machine reaches this server */
export function writeRecorderLine({ id, secretKey }: Pick<App, 'id' | 'secretKey'>, base: string): SetUpText {
  const url = formatRecorderUrl({ base, app: id, key: secretKey });
  return { what: 'the address and the key', text: `FLIGHT_RECORDER=${url}` };
}

/** What an SDK of Sentry is given. The public key is for browsers, where anybody can read it. */
export function writeDsn(
  { number, publicKey, secretKey }: Pick<App, 'number' | 'publicKey' | 'secretKey'>,
  side: 'browser' | 'server',
  base: string,
): SetUpText {
  const { protocol, host, pathname } = new URL(base);
  const key = side === 'browser' ? publicKey : secretKey;
  return {
    what: `the DSN for ${side}s`,
    text: `${protocol}//${key}@${host}${pathname.replace(/\/$/, '')}/${number}`,
  };
}

/** Writes how an SDK for JavaScript is started. */
export function writeSentryInit({ text }: SetUpText): SetUpText {
  return { what: 'the call', text: `Sentry.init({ dsn: '${text}' });` };
}

/** Whole, for a command that is started in another folder; in quotes that every shell takes, where it is more than a plain path. */
function writePath(folder: string): string {
  const whole = path.resolve(folder);
  return /^[\w./:\\-]+$/.test(whole) ? whole : `"${whole}"`;
}

/** Starts an app with the proxy in front of it. An interface that runs on the data folder is used. @param start the app's own command */
export function writeRunCommand(
  { id }: Pick<App, 'id'>,
  { folder, port, program }: RecorderPlace,
  start: 'next start' | 'npm start',
): SetUpText {
  const other = port === usualPort ? ` --port ${freePort}` : '';
  return {
    what: 'the command that starts the app',
    text: `${program} run --app ${id} --data ${writePath(folder)}${other} -- ${start}`,
  };
}

/** Writes the command that puts the proxy in front of an app that runs already. */
export function writeProxyCommand({ id }: Pick<App, 'id'>, { folder, port, program }: RecorderPlace): SetUpText {
  const app = port === usualPort ? usualPort + 1 : usualPort;
  return {
    what: 'the command for an app that runs already',
    text: `${program} proxy --to http://127.0.0.1:${app} --port ${freePort} --app ${id} --data ${writePath(folder)}`,
  };
}

/** On another machine, where `FLIGHT_RECORDER` is set. */
export const remoteProxyCommand: SetUpText = {
  what: 'the command for another machine',
  text: `npx flight-recorder proxy --to http://127.0.0.1:${usualPort} --port ${freePort}`,
};

export const nextInstrumentation: SetUpText = {
  what: 'instrumentation.ts',
  text: `// instrumentation.ts
export { onRequestError } from 'flight-recorder/next';
`,
};

export const wakuPlugin: SetUpText = {
  what: 'the plugin',
  text: `import { flightRecorder } from 'flight-recorder/waku';
import { defineConfig } from 'waku/config';

export default defineConfig({
  vite: { plugins: [flightRecorder()] },
});
`,
};

export const rscReporter: SetUpText = {
  what: 'the reporter',
  text: `import { createReporter } from 'flight-recorder/rsc';

const reporter = createReporter();

const stream = renderToReadableStream(payload, {
  onError: reporter.onError,
});
`,
};

/**
 * With the Sentry CLI. It asks for an organization and a project; here the token says which app it is.
 * @param base as above @param token that was just made; it is shown once
 */
export function writeSourceMapsCommand({ id }: Pick<App, 'id'>, base: string, token: string = 'flu_…'): SetUpText {
  return {
    what: 'the commands that upload source maps',
    text: `export SENTRY_URL=${base} SENTRY_AUTH_TOKEN=${token} SENTRY_ORG=any SENTRY_PROJECT=${id}
npx @sentry/cli sourcemaps inject ./dist
npx @sentry/cli sourcemaps upload ./dist
`,
  };
}
