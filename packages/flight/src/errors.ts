import { describeControl } from './control-flow.ts';
import type { Flight } from './flight.ts';
import { listNestedFlights } from './nested-flight.ts';
import { readText } from './resolve.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { findEntry, type Value } from './value.ts';

/**
 * Errors of a flight. In production an error row holds a digest and nothing else; development adds name, message, stack
 * and the environment's name.
 */
export type FlightError = {
  row: number;
  id: number;
  /** As sent: React writes `""` when the server's onError returned none. */
  digest: string | undefined;
  name: string | undefined;
  message: string | undefined;
  environment: string | undefined;
  /** What it is in words where it is no failure: a framework redirects, or answers 404, by throwing. */
  control: string | undefined;
};

function readMember(flight: Flight, value: Value, key: string): string | undefined {
  const member = findEntry(flight, value, key);
  return member && readText(flight, member);
}

/** Lists the errors that are failures, and no control flow. */
export function readFailures(flight: Flight): FlightError[] {
  return readErrors(flight).filter(({ control }) => control === undefined);
}

function listOwnErrors(flight: Flight): FlightError[] {
  const errors: FlightError[] = [];
  for (let row = 0; row < flight.rows.count; row++) {
    if (readRowTag(flight.rows, row).role !== 'error') continue;
    const content = readRow(flight, row);
    if (content.kind !== 'error') continue;
    errors.push({
      row,
      id: content.id,
      digest: content.digest,
      name: readMember(flight, content.value, 'name'),
      message: readMember(flight, content.value, 'message'),
      environment: readMember(flight, content.value, 'env'),
      control: describeControl(content.digest ?? ''),
    });
  }
  return errors;
}

/** The error rows, in the order sent; of a payload in a binary row with the place of that row. */
export function readErrors(flight: Flight): FlightError[] {
  const nested = listNestedFlights(flight).flatMap(({ row, flight: inner }) => {
    const { id } = readHeader(flight.rows, row);
    return listOwnErrors(inner).map((error) => ({ ...error, row, id }));
  });
  return [...listOwnErrors(flight), ...nested].sort((a, b) => a.row - b.row);
}
