import { flightColumns, type Column, type StoredFlight } from './flight-columns.ts';
import type { FlightSummary, ListedFields, ShownFields } from './flight-record.ts';
import { readSizes } from './flight-sizes.ts';
import { splitDigests } from './join-digests.ts';
import { findPrefetchOutcome } from './prefetch-outcome.ts';

/** Rows of the table `flight` as readers get them: by the fields' names, with lists as lists. */
export const listedColumns = flightColumns.flatMap((entry) => (entry.shown === 'list' ? [entry.column] : []));

const listed: readonly Column[] = flightColumns.filter(({ shown }) => shown === 'list');
const shown: readonly Column[] = flightColumns.filter((entry) => entry.shown !== 'never');

type ListedRow = Pick<StoredFlight, (typeof listedColumns)[number]>;

function decode({ holds }: Column, value: string | number | null): unknown {
  if (value === null) return undefined;
  if (typeof value === 'number') return value;
  if (holds === 'digests') return splitDigests(value);
  return holds === 'names' || holds === 'chunks' ? JSON.parse(value) : value;
}

function collect(columns: readonly Column[], row: Partial<StoredFlight>): object {
  return Object.fromEntries(columns.map((entry) => [entry.field, decode(entry, row[entry.column] ?? null)]));
}

function hasListed(fields: object): fields is ListedFields {
  return listed.every(({ field }) => field in fields);
}

function hasShown(fields: object): fields is ShownFields {
  return shown.every(({ field }) => field in fields);
}

/** Says whether the recording was cut. Nobody knows how much more Flight another app's answer had that was not read to its end. */
function isCut({ bytes, keptBytes, source, content, sentBytes, decodedBytes }: ListedFields): boolean {
  if (bytes > keptBytes) return true;
  return source === 'proxy' && content === 'flight' && sentBytes !== undefined && decodedBytes === undefined;
}

function derive(fields: ListedFields, row: ListedRow, writes: number, now: number) {
  return {
    query: fields.query === '' ? [] : fields.query.split('&').map(decodeURIComponent),
    sizes: readSizes(fields),
    isCut: isCut(fields),
    writes,
    prefetchOutcome: fields.kind === 'prefetch' ? findPrefetchOutcome(row, now) : undefined,
  };
}

/** @param row `chunks` is how many there are */
export function toSummary(row: ListedRow & { readonly chunks: number }, now: number): FlightSummary {
  const fields = collect(listed, row);
  if (!hasListed(fields)) throw new Error('A row of the recording lacks a column');
  return { ...fields, ...derive(fields, row, row.chunks, now) };
}

/** What the row itself says of a flight. */
export function toShownFields(row: StoredFlight, now: number) {
  const fields = collect(shown, row);
  if (!hasShown(fields)) throw new Error('A row of the recording lacks a column');
  return { ...fields, ...derive(fields, row, fields.chunks.length, now) };
}
