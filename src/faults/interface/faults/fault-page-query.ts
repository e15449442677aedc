import { faultPath } from '#src/server/http/addresses.ts';

/** What a fault's page shows, as its address has it. */
export type FaultPageQuery = {
  /** The key of the error that is shown; without it the newest. */
  readonly error?: string | undefined;
  /** The key at which the list of errors begins; without it the newest. */
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
  // Alerts that were sent before say `error`.
  return { error: read('error') ?? read('occurrence'), from: read('from'), done: read('done') };
}

/** @param hash of a part of the page */
export function formatFaultPage(id: string, { error, from }: FaultPageQuery, hash = ''): string {
  const address = faultPath(id, error);
  const list = from === undefined ? '' : `${error === undefined ? '?' : '&'}from=${encodeURIComponent(from)}`;
  return `${address}${list}${hash}`;
}
