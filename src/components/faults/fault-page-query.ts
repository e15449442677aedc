import { faultPath } from '#src/http/addresses.ts';

/** What a fault's page shows, as its address has it. */
export type FaultPageQuery = {
  /** The key of the occurrence that is shown; without it the newest. */
  readonly occurrence?: string | undefined;
  /** The key at which the list of occurrences begins; without it the newest. */
  readonly from?: string | undefined;
  /** What came of a form. */
  readonly done?: string | undefined;
};

/** Keys are an app's id, a dot and 32 hex digits at most. */
const longestKey = 200;

export function parseFaultPageQuery(query: string): FaultPageQuery {
  const params = new URLSearchParams(query);
  function read(name: string): string | undefined {
    const value = params.get(name);
    return value === null || value === '' || value.length > longestKey ? undefined : value;
  }
  return { occurrence: read('occurrence'), from: read('from'), done: read('done') };
}

/** @param hash of a part of the page */
export function formatFaultPage(id: string, { occurrence, from }: FaultPageQuery, hash = ''): string {
  const address = faultPath(id, occurrence);
  const list = from === undefined ? '' : `${occurrence === undefined ? '?' : '&'}from=${encodeURIComponent(from)}`;
  return `${address}${list}${hash}`;
}
