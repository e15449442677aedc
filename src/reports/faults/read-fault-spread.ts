import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireReader } from '#src/operator/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { readTexts } from '../stored-json.ts';
import { nameBrowser } from './name-browser.ts';

/** How the values of one property are spread over the kept occurrences: most frequent first. */
export type Spread = {
  /** `release`, `browser` …, or the name of a tag. */
  readonly name: string;
  /** Whether it is one of the sender's tags, and not something that every occurrence has. */
  readonly isTag: boolean;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** How many occurrences have a value that is not listed. */
  readonly rest: number;
  /** How many occurrences have no value. */
  readonly without: number;
  /** How many could have one: a server's error has no browser. */
  readonly of: number;
};

export type FaultSpread = {
  /** How many occurrences were read. */
  readonly read: number;
  readonly spreads: readonly Spread[];
};

/** Newest first of each table. Retention keeps fewer of most faults; a JSON text of tags takes some microseconds to read. */
const rowsRead = 500;
const valuesListed = 5;
/** A sender may name a hundred tags. */
const tagsListed = 30;

type Row = { readonly fixed: Readonly<Record<string, string>>; readonly tags: Readonly<Record<string, string>> };

type Rows = { readonly told: readonly Row[]; readonly claimed: readonly Row[] };

async function readRows(db: Kysely<Tables>, fault: string): Promise<Rows> {
  const errors = await db
    .selectFrom('error')
    .select(['release', 'environment', 'level', 'route', 'path', 'phase', 'runtime', 'tags_json'])
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .limit(rowsRead)
    .execute();
  const reports = await db
    .selectFrom('report')
    .select(['environment', 'level', 'path', 'user_agent', 'tags_json'])
    .select(sql<string>`coalesce(release, '')`.as('release'))
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .limit(rowsRead)
    .execute();
  const told = errors.map(({ tags_json, route, path, phase, ...fixed }) => ({
    // What nobody said is no value that they share.
    fixed: { ...fixed, route: route || path, phase: phase === 'unknown' ? '' : phase },
    tags: readTexts(tags_json),
  }));
  const claimed = reports.map(({ tags_json, path, user_agent, ...fixed }) => ({
    // As the list of faults names it: phases are those of servers.
    fixed: { ...fixed, route: path, browser: nameBrowser(user_agent ?? ''), phase: 'browser' },
    tags: readTexts(tags_json),
  }));
  return { told, claimed };
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

/** Which of its fields every occurrence may have, in the order in which a person asks for them. */
const fields = ['release', 'environment', 'route', 'browser', 'level', 'phase', 'runtime'];

/**
 * Which values the kept occurrences have, and how often. A field that says the same nowhere is left out. Where servers told the fault,
 * what browsers claim counts for nothing but the browsers, which nobody else knows: anybody can post a hundred reports.
 */
export async function readFaultSpread(fault: string): Promise<FaultSpread> {
  requireReader();
  const { db } = await openStore();
  const { told, claimed } = await readRows(db, fault);
  const rows = told.length > 0 ? told : claimed;
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
      const values = (name === 'browser' ? claimed : rows).flatMap(({ fixed }) => fixed[name] ?? []);
      return spread(name, false, values, values.length);
    }),
    ...Array.from(tags)
      .toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
      .slice(0, tagsListed)
      .map(([name, values]) => spread(name, true, values, rows.length)),
  ];
  return { read: rows.length, spreads: spreads.filter(({ values }) => values.length > 0) };
}
