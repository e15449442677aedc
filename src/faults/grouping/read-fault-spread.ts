import 'server-only';

import type { Kysely } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { nameBrowser } from '#src/server/http/name-browser.ts';
import { isTrusted } from '#src/store/event-columns.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { readTexts } from '../kept/stored-json.ts';

/** How the values of one property are spread over the kept errors: most frequent first. */
export type Spread = {
  /** `release`, `browser` …, or the name of a tag. */
  readonly name: string;
  /** Whether it is one of the sender's tags, and not something that every error has. */
  readonly isTag: boolean;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** How many errors have a value that is not listed. */
  readonly rest: number;
  /** How many errors have no value. */
  readonly without: number;
  /** How many could have one: a server's error has no browser. */
  readonly of: number;
};

export type FaultSpread = {
  /** How many errors were read. */
  readonly read: number;
  readonly spreads: readonly Spread[];
};

/** Newest first of each side. Retention keeps fewer of most faults; a JSON text of tags takes some microseconds to read. */
const rowsRead = 500;
const valuesListed = 5;
/** A sender may name a hundred tags. */
const tagsListed = 30;

type Row = { readonly fixed: Readonly<Record<string, string>>; readonly tags: Readonly<Record<string, string>> };

/** The newest events of a side. What nobody said is no value that they share. */
async function readRows(db: Kysely<Tables>, fault: string, side: Side): Promise<readonly Row[]> {
  const rows = await selectEvents(db, side)
    .select(['release', 'environment', 'level', 'route', 'path', 'phase', 'runtime', 'user_agent', 'tags_json'])
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .limit(rowsRead)
    .execute();
  return rows.map(({ tags_json, route, path, phase, runtime, user_agent, ...fixed }) => {
    const told = { runtime, phase: phase === 'unknown' ? '' : phase };
    // As the list of faults names it: phases are those of servers.
    const untrusted = { browser: nameBrowser(user_agent), phase: side };
    return {
      fixed: { ...fixed, route: route || path, ...(isTrusted(side) ? told : untrusted) },
      tags: readTexts(tags_json),
    };
  });
}

function spread(name: string, isTag: boolean, values: readonly string[], of: number): Spread {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = Array.from(counts, ([value, count]) => ({ value, count })).toSorted(
    (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
  );
  const listed = sorted.slice(0, valuesListed);
  const known = sorted.reduce((sum, { count }) => sum + count, 0);
  return {
    name,
    isTag,
    values: listed,
    rest: known - listed.reduce((sum, { count }) => sum + count, 0),
    without: of - known,
    of,
  };
}

/** Which of its fields every error may have, in the order in which a person asks for them. */
const fields = ['release', 'environment', 'route', 'browser', 'level', 'phase', 'runtime'];

/**
 * Which values the kept errors have, and how often. A field that says the same nowhere is left out. Where servers told the fault,
 * what browsers report counts for nothing but the browsers, which nobody else knows: anybody can post a hundred untrusted errors.
 */
export async function readFaultSpread(fault: string): Promise<FaultSpread> {
  requireReader();
  const { db } = await openStore();
  const [told, untrusted] = [await readRows(db, fault, 'server'), await readRows(db, fault, 'browser')];
  const rows = told.length > 0 ? told : untrusted;
  const tags = new Map<string, string[]>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row.tags)) {
      const values = tags.get(name) ?? [];
      values.push(value);
      tags.set(name, values);
    }
  }
  const spreads = [
    ...fields.map((name) => {
      const values = (name === 'browser' ? untrusted : rows).flatMap(({ fixed }) => fixed[name] ?? []);
      return spread(name, false, values, values.length);
    }),
    ...Array.from(tags)
      .toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
      .slice(0, tagsListed)
      .map(([name, values]) => spread(name, true, values, rows.length)),
  ];
  return { read: rows.length, spreads: spreads.filter(({ values }) => values.length > 0) };
}
