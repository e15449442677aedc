import { countOf, formatBytes } from '#flight';
import { escapeText } from '#src/http/escape-text.ts';

import { describeExcess } from './describe-excess.ts';
import { checkStatus } from './check-status.ts';
import { keepPayloads, type KeepFile } from './keep-payloads.ts';
import { measureFlights, type Measured } from './measure-flights.ts';
import type { Loaded } from './open-loaded.ts';
import type { Limits } from './read-budget.ts';

/** Where a runner has the files of this test's results, and what the files should be named after. */
export type Results = { readonly keep: KeepFile; readonly testName: string | undefined };

function describeKept(name: string, { bytes, gzip, duplicates, modules }: Measured): string {
  return (
    `${escapeText(name)} is within this budget, and was expected to be over it: payload ${formatBytes(bytes)}, ` +
    `${formatBytes(gzip)} gzip, ${formatBytes(duplicates)} of duplicates, ${countOf(modules.length, 'client module')}`
  );
}

/** A failed budget has a message; one that is kept, the figures. */
export type Checked = { readonly isWithin: boolean; readonly message: string };

/** @throws Error when what came is not what the budget is about */
export function checkBudget(loaded: Loaded, limits: Limits, results: () => Results): Checked {
  checkStatus(loaded, limits.status);
  const { name, flights } = loaded;
  const measured = measureFlights(flights);
  const excess = describeExcess(measured, limits);
  if (excess.length === 0) return { isWithin: true, message: describeKept(name, measured) };
  const { keep, testName } = results();
  const all =
    flights.length > 1
      ? measured.flights.map(
          ({ title, flight }, index) =>
            `  flight ${index + 1}: ${escapeText(title)}: ${formatBytes(flight.bytes.length)}`,
        )
      : [];
  const lines = [
    `${escapeText(name)} is over its budget`,
    ...all,
    ...excess,
    '  To see all that is in it:',
    ...keepPayloads(measured, testName ?? name, keep),
  ];
  return { isWithin: false, message: lines.join('\n') };
}
