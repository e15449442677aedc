import 'server-only';

import { type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import { listFacetNames } from '#src/store/search-tables.ts';
import type { FacetName, Level, Tables } from '#src/store/schema.ts';

/** Which faults a list shows. What is left out does not filter. */
export type FaultFilter = {
  readonly app?: string | undefined;
  /** `unseen`: whatever state it is in, somebody should look at it. `any`: all of them. */
  readonly state: 'open' | 'unseen' | 'resolved' | 'snoozed' | 'muted' | 'any';
  /** `servers-first`: those of servers where any of them matches, else those that only browsers report. Undefined for both. */
  readonly side?: 'server' | 'browser' | 'servers-first' | undefined;
  readonly level?: Level | undefined;
  /** Faults that occurred since then: milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly release?: string | undefined;
  /** The release in which it was first seen. */
  readonly firstRelease?: string | undefined;
  readonly environment?: string | undefined;
  /** `browser` for what browsers reported. */
  readonly phase?: string | undefined;
  /** A part of a route or a path. In double quotes, the whole of one. */
  readonly route?: string | undefined;
  /** Those of which flights on `route` carried a digest: an error that an app only prints names no route (faults-on-route.ts). */
  readonly carriedOnRoute?: ReadonlySet<string> | undefined;
  /** Only these: what a search found. */
  readonly ids?: ReadonlySet<string> | undefined;
};

/** Faults that were merged are kept, for their addresses. No list has them. */
export function selectFaults(db: Kysely<Tables>, app: string | undefined) {
  return db
    .selectFrom('fault')
    .where('fault.merged_into', 'is', null)
    .$if(app !== undefined, (query) => query.where('fault.app', '=', app ?? ''));
}

function hasFacet(name: FacetName, value: string) {
  return sql<boolean>`fault.id in (select fault_hash.fault from fault_facet
    join fault_hash on fault_hash.app = fault_facet.app and fault_hash.hash = fault_facet.hash
    where fault_facet.name in (${sql.join(listFacetNames(name))}) and fault_facet.value = ${value})`;
}

/** What is asked of a route: the whole of one, or a part. */
export function readRouteText(text: string): { readonly route: string } | { readonly routePart: string } {
  const [, whole] = /^"(.+)"$/.exec(text) ?? [];
  return whole === undefined ? { routePart: text.replace(/^"/, '') } : { route: whole };
}

function isOnRoute(text: string) {
  const asked = readRouteText(text);
  if ('route' in asked) return hasFacet('route', asked.route);
  const part = asked.routePart;
  // As both databases do, which know the small letters of ASCII alone. What has a meaning in a pattern is meant as it is.
  const small = part.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, String.raw`\$&`);
  return sql<boolean>`fault.id in (select fault_hash.fault from fault_facet
    join fault_hash on fault_hash.app = fault_facet.app and fault_hash.hash = fault_facet.hash
    where fault_facet.name in (${sql.join(listFacetNames('route'))}) and lower(fault_facet.value) like ${`%${small}%`} escape '\\')`;
}

/** `servers-first` has to be decided before. */
export type SettledFilter = FaultFilter & { readonly side?: 'server' | 'browser' | undefined };

export function matchFaults(db: Kysely<Tables>, filter: SettledFilter) {
  const { app, side, state, level, since, release, firstRelease, environment, phase, route, carriedOnRoute, ids } =
    filter;
  let query = selectFaults(db, app);
  if (state === 'unseen') query = query.where('fault.unseen', 'is not', null);
  else if (state !== 'any') query = query.where('fault.state', '=', state);
  if (side !== undefined) query = query.where('fault.side', '=', side);
  if (level !== undefined) query = query.where('fault.level', '=', level);
  if (since !== undefined) query = query.where('fault.last_time', '>=', since);
  if (release !== undefined) query = query.where(hasFacet('release', release));
  if (firstRelease !== undefined) query = query.where('fault.first_release', '=', firstRelease);
  if (environment !== undefined) query = query.where(hasFacet('environment', environment));
  if (phase !== undefined) query = query.where(hasFacet('phase', phase));
  if (route !== undefined) {
    const carried = dialectOf(db).isOneOf(sql.ref('fault.id'), [...(carriedOnRoute ?? [])]);
    query = query.where(({ or }) => or([isOnRoute(route), carried]));
  }
  return ids === undefined ? query : query.where(dialectOf(db).isOneOf(sql.ref('fault.id'), [...ids]));
}
