import type { Target } from './dollar.ts';
import type { Flight } from './flight.ts';
import { findRowById, type Row } from './row.ts';
import { findEntry, readElement, readItems, type Value } from './value.ts';

/**
 * Following references. A path is walked on values as the client has them: an element has `type`, `key` and `props`, and
 * what is itself a reference or a lazy on the way is followed first. Rows that are no JSON (text, bytes, a module, an
 * error, a stream) are an answer too, but nothing can be looked up in them.
 */
export type Resolved =
  | { kind: 'value'; value: Value }
  | { kind: 'row'; row: Row }
  /** The row has not come (yet). */
  | { kind: 'pending'; id: number }
  /** The path leads nowhere, or references go round in a circle. */
  | { kind: 'invalid'; reason: string };

/** References to references: React writes one or two. More is a circle, or a payload made to cost. */
const maxHops = 32;

/** What following took: references, and names of their paths. */
export type Followed = { hops: number; names: number };

/**
 * What a reference means: any value with an `id` and a `path`. References at its end are followed; a lazy or a promise
 * there is an answer.
 * @param counted what it took is added to it
 */
export function resolveTarget(flight: Flight, target: Target, counted: Followed = { hops: 0, names: 0 }): Resolved {
  const own = { hops: 0, names: 0 };
  const found = follow(flight, target, own);
  counted.hops += own.hops;
  counted.names += own.names;
  return found;
}

/** The value itself, or what it refers to if it is a plain reference. */
export function resolveValue(flight: Flight, value: Value): Resolved {
  return value.kind === 'reference' ? follow(flight, value, { hops: 0, names: 0 }) : { kind: 'value', value };
}

/** The text of a string, or of the string a reference means. */
export function readText(flight: Flight, value: Value): string | undefined {
  if (value.kind === 'string') return value.value;
  if (value.kind !== 'reference') return undefined;
  const found = resolveTarget(flight, value);
  if (found.kind === 'row') return found.row.kind === 'text' ? found.row.text : undefined;
  return found.kind === 'value' && found.value.kind === 'string' ? found.value.value : undefined;
}

function follow(flight: Flight, target: Target, budget: Followed): Resolved {
  budget.hops += 1;
  if (budget.hops > maxHops) return { kind: 'invalid', reason: 'references go round in a circle' };
  budget.names += target.path.length;
  let found = openRow(flight, target.id);
  for (const name of target.path) {
    found = passThrough(flight, found, budget, true);
    if (found.kind === 'row') return { kind: 'invalid', reason: `a ${found.row.kind} has no ${name}` };
    if (found.kind !== 'value') return found;
    const member = readMember(flight, found.value, name);
    if (!member) return { kind: 'invalid', reason: `there is no ${name}` };
    found = { kind: 'value', value: member };
  }
  return passThrough(flight, found, budget, false);
}

function openRow(flight: Flight, id: number): Resolved {
  const row = findRowById(flight, id);
  if (!row || row.kind === 'halted') return { kind: 'pending', id };
  if (row.kind === 'model') return { kind: 'value', value: row.value };
  return row.kind === 'unknown' && row.value ? { kind: 'value', value: row.value } : { kind: 'row', row };
}

function passThrough(flight: Flight, found: Resolved, budget: Followed, throughLazy: boolean): Resolved {
  if (found.kind !== 'value') return found;
  const { value } = found;
  const isPassed = value.kind === 'reference' || (throughLazy && value.kind === 'lazy');
  return isPassed ? follow(flight, value, budget) : found;
}

const elementNames = ['', 'type', 'key', 'props', '_owner'];

function readMember(flight: Flight, value: Value, name: string): Value | undefined {
  if (value.kind === 'object') return name === '__proto__' ? undefined : findEntry(flight, value, name);
  if (value.kind === 'element') {
    const { type, key, props, owner } = readElement(flight, value);
    return [undefined, type, key, props, owner][
      elementNames.includes(name) ? elementNames.indexOf(name) : Number(name)
    ];
  }
  if (value.kind !== 'array' || !/^\d{1,9}$/.test(name)) return undefined;
  return readItems(flight, value, Number(name), 1)[0];
}
