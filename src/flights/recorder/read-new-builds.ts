import { openFlightsReader } from './flights-reader.ts';

/** Builds of answers that were written between two ids, each with when its first began. */
export type NewBuild = { readonly app: string; readonly build: string; readonly firstAt: number };

/** Apps deploy some times a day. */
const readAtOnce = 100;

export async function readNewBuilds(after: number, upTo: number): Promise<readonly NewBuild[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const rows = await db
    .selectFrom('flight')
    .select(['app', 'build'])
    .select(({ fn }) => fn.min('started_at').as('firstAt'))
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('build', '!=', '')
    .groupBy(['app', 'build'])
    .limit(readAtOnce)
    .execute();
  return rows.map(({ app, build, firstAt }) => ({ app, build, firstAt: Number(firstAt) }));
}
