import type { App } from './apps.ts';
import { formatRecorderUrl } from './recorder-url.ts';

/** What somebody copies to have an app recorded. */
export type SetUpText = {
  /** Completes "Copy …". */
  readonly what: string;
  readonly text: string;
};

/** `FLIGHT_RECORDER=…`, with the app's secret key in it. @param origin where the app's machine reaches this server */
export function writeRecorderLine({ id, secretKey }: Pick<App, 'id' | 'secretKey'>, base: string): SetUpText {
  const url = formatRecorderUrl({ base, app: id, key: secretKey });
  return { what: 'the setting', text: `FLIGHT_RECORDER=${url}` };
}

/** In front of an app that runs already, beside this server. */
export function writeProxyCommand({ id }: Pick<App, 'id'>): SetUpText {
  return {
    what: 'the command',
    text: `npx flight-recorder proxy --to http://127.0.0.1:3000 --port 8080 --app ${id}`,
  };
}

export const runCommand: SetUpText = { what: 'the command', text: 'npx flight-recorder run -- next start' };

export const nextInstrumentation: SetUpText = {
  what: 'instrumentation.ts',
  text: `// instrumentation.ts
export { onRequestError } from 'flight-recorder/next';
`,
};

export const rscReporter: SetUpText = {
  what: 'the reporter',
  text: `import { createReporter } from 'flight-recorder/rsc';

const reporter = createReporter();

const stream = renderToReadableStream(payload, { onError: reporter.onError });
`,
};
