import { findRow, type Flight, readHeader, readRow } from '#flight';

/** The ids of more help nobody. */
const mostNamed = 3;

function nameRows(ids: readonly string[]): string {
  const more = ids.length - mostNamed;
  if (more > 0) return `Rows ${ids.slice(0, mostNamed).join(', ')} and ${more} more refer`;
  if (ids.length === 1) return `Row ${ids[0]} refers`;
  return `Rows ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)} refer`;
}

/**
 * What a row is there for, in a sentence: where it changes nothing that is shown, this is why it was sent.
 * @param referrers the rows that refer to it, as far as they are known
 */
export function describeUse(flight: Flight, row: number, referrers: readonly number[]): string {
  const { id, kind } = readRow(flight, row);
  if (kind === 'hint') return 'This row is for the browser itself: no other refers to it.';
  if (row === flight.root) return 'This row is the root: what the component returned.';
  const begins = findRow(flight.rows, id);
  if (begins !== undefined && begins < row) return `This row belongs to the stream that row ${id.toString(16)} began.`;
  const ids = referrers.map((other) => readHeader(flight.rows, other).id.toString(16));
  return ids.length === 0 ? 'No row refers to this one.' : `${nameRows(ids)} to this row.`;
}
