import { readDollar } from './dollar.ts';
import type { Flight } from './flight.ts';
import { findRow } from './row-index.ts';
import { codedDollarKind, dollarKind, kindAt, nextAt, startAt, stepAt } from './tape.ts';
import type { Value } from './value.ts';
import { readString } from './value-text.ts';

/**
 * Errors that are sent as values. Production sends `"$Z"` and nothing else. Development sends `"$Z1"`, and in row 1 an object
 * with name, message and stack. That row is a model, not an error row: its texts are escaped as everywhere. But since 19.3 its
 * members `cause` and `errors` are escaped references, which React's client reads a second time: `"$$2"` there is row 2
 * (serializeErrorValue and resolveErrorDev of 19.3).
 */
const letterZ = 0x5a;

const rowsOf = new WeakMap<Flight, ReadonlySet<number>>();

/** The rows that a `$Z` refers to. One pass over the payload. */
function findErrorRows(flight: Flight): ReadonlySet<number> {
  const { rows, tape, bytes } = flight;
  const found = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0) continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      const isLikely = kind === codedDollarKind || (kind === dollarKind && bytes[startAt(tape, at) + 2] === letterZ);
      const form = isLikely ? readDollar(readString(flight, at), flight.direction) : undefined;
      const target = form?.kind === 'error' && form.target ? findRow(rows, form.target.id) : undefined;
      if (target !== undefined) found.add(target);
    }
  }
  return found;
}

/** Whether a value is the whole of a row that an Error is sent in. */
export function isErrorValue(flight: Flight, { kind, row, at }: Value): boolean {
  if (kind !== 'object' || at + 1 !== flight.rows.models[row]) return false;
  const found = rowsOf.get(flight) ?? findErrorRows(flight);
  rowsOf.set(flight, found);
  return found.has(row);
}

/** The value of a member of such a row, as React's client reads it. */
export function reviveErrorMember(key: string, value: Value): Value {
  const isRevived = (key === 'cause' || key === 'errors') && value.kind === 'string' && value.value.startsWith('$');
  if (!isRevived) return value;
  const { row, start, end, at } = value;
  return { row, start, end, at, ...readDollar(value.value, 'response') };
}
