import 'server-only';

import { searchField } from '#src/components/search-field.ts';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath, errorPath, faultPath, faultsPath } from '#src/http/addresses.ts';
import { findFlightsByDigest } from '#src/recorder/for-operator/queries.ts';
import { findById } from '#src/reports/faults/find-by-id.ts';
import { findDigest } from '#src/reports/find-digest.ts';
import { listCandidates } from '#src/reports/digest-holder.ts';
import { readCodes } from '#src/reports/read-code.ts';
import { findUnkept } from '#src/reports/unkept-digests.ts';

async function findPageOfDigest(codes: readonly string[], app: string | undefined): Promise<string | undefined> {
  const holders = listCandidates(await findDigest(codes));
  const chosen = holders.length > 1 ? holders.find((one) => one.app === app) : undefined;
  const holder = chosen ?? holders[0];
  if (holder) return digestPath(showDigest(holder.digest, holder.app), chosen?.app);
  for (const code of codes) {
    if (findUnkept(code) || (await findFlightsByDigest(code)).length > 0) return digestPath(code);
  }
  return undefined;
}

async function findPageOfId(typed: string): Promise<string | undefined> {
  const found = await findById(typed);
  switch (found?.type) {
    case undefined:
      return undefined;
    case 'fault':
      return faultPath(found.fault);
    case 'error':
      return found.fault === null ? errorPath(found.key) : faultPath(found.fault, found.key);
    case 'trace':
      return `${faultsPath}?${searchField}=${found.trace}`;
    case 'report':
      if (found.fault !== null) return faultPath(found.fault, found.key);
      return found.digest === null ? undefined : digestPath(found.digest);
  }
}

/**
 * The page of what was typed into the search box: of a digest in any of its spellings, of an event's, a trace's or a fault's id.
 * A trace of several faults leads to the list of them. Undefined when it is none that is known.
 */
export async function findTypedPage(typed: string, app: string | undefined): Promise<string | undefined> {
  return (await findPageOfDigest(readCodes(typed), app)) ?? (await findPageOfId(typed));
}
