import 'server-only';

import { type CarrierPlace, listCarriers } from '#src/flights/for-operator/flights-of-digests.ts';
import { wasUnderWay } from '#src/flights/for-operator/queries.ts';

/**
 * An error that an app only prints has no path. Where one flight that was under way at its time carried its digest, it was on that
 * flight's page; where those of several pages did, on one of them.
 */
type Unplaced = { readonly time: number; readonly path: string; readonly route: string };

export type Placed<Row> = Row & {
  /** Where it may have been, of which the path is not known. Empty where nothing is known of it. */
  readonly perhaps: readonly Pick<CarrierPlace, 'path' | 'route'>[];
};

/** So near to each other, flights of two pages may have had it. */
const nearMs = 2_000;

function findPlaces(carriers: readonly CarrierPlace[], time: number): readonly CarrierPlace[] {
  const underWay = carriers.filter((carrier) => wasUnderWay(carrier, time));
  const [nearest] = underWay.toSorted((a, b) => Math.abs(a.startedAt - time) - Math.abs(b.startedAt - time));
  if (!nearest) return [];
  const near = underWay.filter(({ startedAt }) => Math.abs(startedAt - nearest.startedAt) <= nearMs);
  return [...new Map(near.map((carrier) => [carrier.path, carrier])).values()];
}

export async function placeErrors<Row extends Unplaced>(
  rows: readonly Row[],
  app: string,
  digest: string,
): Promise<readonly Placed<Row>[]> {
  const carriers = rows.some(({ path }) => path === '') ? await listCarriers(app, digest) : [];
  return rows.map((row) => {
    if (row.path !== '') return { ...row, perhaps: [] };
    const [place, ...others] = findPlaces(carriers, row.time);
    if (!place) return { ...row, perhaps: [] };
    if (others.length > 0) return { ...row, perhaps: [place, ...others] };
    return { ...row, path: place.path, route: row.route || place.route, perhaps: [] };
  });
}
