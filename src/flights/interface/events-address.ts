import { flightEventsPath } from '#src/server/http/addresses.ts';

/** What an open page does not show yet. Without a word of flights, or of faults, none of them are counted. */
type Shown = {
  /** The newest flight's id when the list was made; 0 when there was none. */
  readonly flightsSince?: number | undefined;
  /** When the faults were listed, in milliseconds since 1970. */
  readonly faultsSince?: number | undefined;
};

/** @param search `?…`, as in the page's address: which flights, and of which app */
export function writeEventsAddress(search: string, { flightsSince, faultsSince }: Shown): string {
  const fields = new URLSearchParams(search);
  if (flightsSince !== undefined) fields.set('since', String(flightsSince));
  if (faultsSince !== undefined) fields.set('faults', String(faultsSince));
  return `${flightEventsPath}?${fields.toString()}`;
}

/** An id, or milliseconds: 15 digits are exact in a number. */
function parseCount(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function parseEventsAddress(search: string): Shown {
  const fields = new URLSearchParams(search);
  return { flightsSince: parseCount(fields.get('since')), faultsSince: parseCount(fields.get('faults')) };
}
