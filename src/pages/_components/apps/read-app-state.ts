import 'server-only';

import { countAppUntrusted, countAppErrors, readRefusals } from '#src/apps/for-operator/read-apps.ts';
import { listDeletions } from '#src/apps/deletions.ts';
import { readLastFlight } from '#src/flights/for-operator/app-counts.ts';

/** What an app's page waits for. Times are milliseconds since 1970. */
export type AppSigns = {
  readonly flightAt: number | undefined;
  readonly errorAt: number | undefined;
  /** What browsers reported. */
  readonly untrustedAt: number | undefined;
};

export async function readAppSigns(id: string): Promise<AppSigns> {
  return {
    flightAt: await readLastFlight(id),
    errorAt: (await countAppErrors()).get(id)?.lastAt,
    untrustedAt: (await countAppUntrusted()).get(id)?.lastAt,
  };
}

/**
 * Says whether a page that is open is still true: an open page asks for it, and is loaded again when the text is another. It
 * changes with the first flight, the first error, the first report and each new reason of a refusal, not with each flight.
 */
export async function markAppState(id: string): Promise<string> {
  const { flightAt, errorAt, untrustedAt } = await readAppSigns(id);
  const refusals = await readRefusals(id);
  return [...[flightAt, errorAt, untrustedAt].map((time) => time !== undefined), refusals.length].join(' ');
}

/** The same for the list of apps, while some are being deleted. */
export async function markDeletions(): Promise<string> {
  return (await listDeletions())
    .map(({ app, flightsLeft, problem }) => [app, flightsLeft, problem].join(' '))
    .join('\n');
}
