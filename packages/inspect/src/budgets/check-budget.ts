import { countOf, formatBytes } from '#flight';
import { escapeText } from '#boundary';

import { describeExcess } from './describe-excess.ts';
import { checkStatus } from './check-status.ts';
import { keepPayloads, type KeepFile } from './keep-payloads.ts';
import { measureFlights, type Measured } from './measure-flights.ts';
import type { Loaded } from './open-loaded.ts';
import type { Limits } from './read-budget.ts';
import { type Base, readBase } from './read-base.ts';
import { takeLimits } from './take-limits.ts';

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

function printChanges({ changes }: Base): string[] {
  return changes.length === 0 ? [] : ['  Since the base:', ...changes.map((line) => `    ${escapeText(line)}`)];
}

/** @throws Error when what came is not what the budget is about */
export async function checkBudget(loaded: Loaded, limits: Limits, results: () => Results): Promise<Checked> {
  checkStatus(loaded, limits.status);
  const { name, flights } = loaded;
  const measured = measureFlights(flights);
  const base = limits.base && (await readBase(loaded, limits.base));
  const excess = describeExcess(measured, takeLimits(limits, base));
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
    ...(base ? printChanges(base) : []),
    '  To see all that is in it:',
    ...keepPayloads(measured, testName ?? name, keep),
  ];
  return { isWithin: false, message: lines.join('\n') };
}
