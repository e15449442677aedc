import 'server-only';

import { countAppErrors, readRefusals } from '#src/apps/for-operator/read-apps.ts';
import { listDeletions } from '#src/apps/deletions.ts';
import { readLastFlight } from '#src/recorder/for-operator/app-counts.ts';

/** What an app's page waits for. Times are milliseconds since 1970. */
export type AppSigns = {
  readonly flightAt: number | undefined;
  readonly errorAt: number | undefined;
};

export async function readAppSigns(id: string): Promise<AppSigns> {
  return { flightAt: await readLastFlight(id), errorAt: (await countAppErrors()).get(id)?.lastAt };
}

/**
 * Says whether a page that is open is still true: an open page asks for it, and is loaded again when the text is another. It
 * changes with the first flight, the first error and each new reason of a refusal, not with each flight.
 */
export async function markAppNews(id: string): Promise<string> {
  const { flightAt, errorAt } = await readAppSigns(id);
  const refusals = await readRefusals(id);
  return [flightAt !== undefined, errorAt !== undefined, refusals.length].join(' ');
}

/** The same for the list of apps, while some are being deleted. */
export async function markDeletions(): Promise<string> {
  return (await listDeletions())
    .map(({ app, flightsLeft, problem }) => [app, flightsLeft, problem].join(' '))
    .join('\n');
}
