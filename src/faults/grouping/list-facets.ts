import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import { listFacetNames } from '#src/store/search-tables.ts';
import type { FacetName } from '#src/store/schema.ts';

/** A longer list is no help: the field takes any text. */
const suggested = 50;

/** Values that occurred, for the fields of a filter. */
export type FaultFacets = Readonly<Record<'release' | 'environment' | 'route', readonly string[]>>;

async function listValues(name: FacetName, app: string | undefined): Promise<string[]> {
  const { db } = await openStore();
  const rows = await db
    .selectFrom('fault_facet')
    .select('value')
    .where('name', 'in', listFacetNames(name))
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .groupBy('value')
    // What servers told, first: its name is the later one.
    .orderBy(({ fn }) => fn.max('name'), 'desc')
    .orderBy('value')
    .limit(suggested)
    .execute();
  return rows.map(({ value }) => value);
}

/** The latest first: of thousands, those are meant. What browsers report stands behind what servers told. */
async function listReleases(app: string | undefined): Promise<string[]> {
  const { db } = await openStore();
  const rows = await db
    .selectFrom('app_release')
    .select('name')
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .groupBy('name')
    .orderBy(({ fn }) => fn.max('side'), 'desc')
    .orderBy(({ fn }) => fn.min('first_time'), 'desc')
    .limit(suggested)
    .execute();
  return rows.map(({ name }) => name);
}

export async function listFacets(app: string | undefined): Promise<FaultFacets> {
  requireOperator();
  return {
    release: await listReleases(app),
    environment: await listValues('environment', app),
    route: await listValues('route', app),
  };
}
