import 'server-only';

import { metricsPath } from '#src/server/http/addresses.ts';
import { answersAt } from '#src/server/http/file-rule.ts';
import type { Step } from '#src/server/adapter/step.ts';

import type { Metrics } from './metrics/registry.ts';
import { metrics } from './middleware/metrics.ts';
import { readApi, readApiOfFile } from './middleware/read-api.ts';

/** For programs, as a part of the server. */

let counted: Promise<Metrics> | undefined;

/** prom-client is loaded by the first who asks. */
function loadMetrics(): Promise<Metrics> {
  counted ??= import('./metrics/registry.ts').then(({ createMetrics }) => createMetrics());
  return counted;
}

/** Each asks for a token of its own. */
export const apiSteps: readonly Step[] = [
  { middleware: metrics(async () => (await loadMetrics()).serve), file: answersAt(metricsPath) },
  { middleware: readApi(), file: readApiOfFile },
];
