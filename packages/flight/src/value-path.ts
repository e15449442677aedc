import type { Flight } from './flight.ts';
import { endAt, itemsEnd, kindAt, nextAt, objectKind, startAt } from './tape.ts';
import { readValue, type Value } from './value.ts';
import { readString } from './value-text.ts';

/** One step into a value: the container, and which of its items or entries. */
export type ValueStep = {
  container: Value;
  /** Counted from 0. An element's array begins with its mark: the type is item 1. */
  index: number;
  /** Of an object's entry. */
  key: string | undefined;
};

export type ValuePath = {
  /** From the row's own value inwards. */
  steps: readonly ValueStep[];
  /** What holds the byte: a scalar, or a container at one of its brackets, commas or colons. */
  value: Value;
  /** Whether the byte belongs to the key of the last step. */
  isKey: boolean;
};

/** Which value of the row with this number holds a byte of the flight, and where it stands; undefined outside of its JSON. */
export function readValuePath(flight: Flight, row: number, byte: number): ValuePath | undefined {
  const { tape, bytes } = flight;
  const model = flight.rows.models[row] ?? 0;
  if (model === 0) return undefined;
  const root = model - 1;
  if (byte < startAt(tape, root) || byte >= endAt(tape, root, bytes)) return undefined;
  const steps: ValueStep[] = [];
  for (let at = root; ;) {
    const found = findMember(flight, at, byte);
    if (!found) return { steps, value: readValue(flight, row, at), isKey: false };
    const isObject = kindAt(tape, at) === objectKind;
    const key = isObject ? readString(flight, found.at) : undefined;
    steps.push({ container: readValue(flight, row, at), index: found.index, key });
    const value = isObject ? found.at + 2 : found.at;
    const isKey = isObject && byte < endAt(tape, found.at, bytes);
    if (isKey) return { steps, value: readValue(flight, row, value), isKey };
    // Between a key and its value.
    if (byte < startAt(tape, value)) {
      return { steps: steps.slice(0, -1), value: readValue(flight, row, at), isKey };
    }
    at = value;
  }
}

/** The item or entry of the container at `at` that holds a byte; undefined when none does, or when it is no container. */
function findMember({ tape, bytes }: Flight, at: number, byte: number): { at: number; index: number } | undefined {
  const kind = kindAt(tape, at);
  // A scalar has no items: its end is where they would begin.
  const end = itemsEnd(tape, at);
  let index = 0;
  for (let item = at + 2; item < end; index++) {
    if (startAt(tape, item) > byte) return undefined;
    const value = kind === objectKind ? item + 2 : item;
    if (byte < endAt(tape, value, bytes)) return { at: item, index };
    item = nextAt(tape, value);
  }
  return undefined;
}
