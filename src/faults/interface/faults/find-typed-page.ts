import 'server-only';

import { searchField } from '#src/ui/search-field.ts';
import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath, errorPath, faultPath, faultsPath } from '#src/server/http/addresses.ts';
import { findFlightsByDigest } from '#src/flights/for-operator/queries.ts';
import { findById } from '#src/faults/grouping/find-by-id.ts';
import { findDigest } from '#src/faults/digests/find-digest.ts';
import { type DigestHolder, isAnyTrusted, listCandidates } from '#src/faults/digests/digest-holder.ts';
import { readAnyCode } from '#src/faults/digests/read-code.ts';
import { findUnkept } from '#src/faults/digests/unkept-digests.ts';

async function findPageOfDigest(
  codes: readonly string[],
  holders: readonly DigestHolder[],
  app: string | undefined,
): Promise<string | undefined> {
  const chosen = holders.length > 1 ? holders.find((one) => one.app === app) : undefined;
  const holder = chosen ?? holders[0];
  if (holder) return digestPath(showDigest(holder.digest, holder.app), chosen?.app);
  for (const code of codes) {
    if (findUnkept(code) || (await findFlightsByDigest(code)).length > 0) return digestPath(code);
  }
  return undefined;
}

async function findPageOfId(typed: string, which: 'trusted' | 'any'): Promise<string | undefined> {
  const found = await findById(typed);
  if (which === 'trusted' && found?.type !== 'error' && found?.type !== 'fault') return undefined;
  switch (found?.type) {
    case undefined:
      return undefined;
    case 'fault':
      return faultPath(found.fault);
    case 'error':
      return found.fault === null ? errorPath(found.key) : faultPath(found.fault, found.key);
    case 'trace':
      return `${faultsPath}?${searchField}=${found.trace}`;
    case 'untrusted':
      if (found.fault !== null) return faultPath(found.fault, found.key);
      return found.digest === null ? undefined : digestPath(found.digest);
  }
}

/**
 * The page of what was typed into the search box: of a digest in any of its spellings, of an event's, a trace's or a fault's id.
 * A trace of several faults leads to the list of them. Undefined when it is none that is known.
 */
export async function findTypedPage(typed: string, app: string | undefined): Promise<string | undefined> {
  const codes = readAnyCode(typed);
  const holders = listCandidates(await findDigest(codes));
  // A stranger can name the id of an event as a digest.
  const told = isAnyTrusted(holders) ? undefined : await findPageOfId(typed, 'trusted');
  return told ?? (await findPageOfDigest(codes, holders, app)) ?? (await findPageOfId(typed, 'any'));
}
