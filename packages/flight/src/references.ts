import { readDollar, type DollarForm } from './dollar.ts';
import type { Flight } from './flight.ts';
import { readTargetId } from './promised-rows.ts';
import { codedDollarKind, dollarKind, kindAt, nextAt, stepAt } from './tape.ts';
import { readString } from './value-text.ts';

/** A value that speaks of a row: how (`reference`, `lazy`, `promise`, `map` …), and the row's id. */
export type RowReference = { kind: DollarForm['kind']; id: number };

/** What the values of a row speak of, in the order of the bytes, repeats included; empty for a row without JSON. */
export function readReferences(flight: Flight, row: number): RowReference[] {
  const { tape } = flight;
  const model = flight.rows.models[row] ?? 0;
  if (model === 0) return [];
  const references: RowReference[] = [];
  const end = nextAt(tape, model - 1);
  for (let at = model - 1; at < end; at = stepAt(tape, at)) {
    const kind = kindAt(tape, at);
    if (kind !== dollarKind && kind !== codedDollarKind) continue;
    const form = readDollar(readString(flight, at), flight.direction);
    const id = readTargetId(form);
    if (id !== undefined) references.push({ kind: form.kind, id });
  }
  return references;
}
