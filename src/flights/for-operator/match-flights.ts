import 'server-only';

import { sql, type ExpressionBuilder, type Expression, type SqlBool } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { ofApp } from '../recorder/of-app.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { flightSize } from './flight-size.ts';

/** Which flights a list, its totals and what is new in it are of. */
export type FlightFilter = {
  /** Its id; undefined for all apps. */
  readonly app?: string;
  /** All apps but this server itself. */
  readonly isOfOthers?: boolean;
  readonly kinds?: readonly StoredFlight['kind'][];
  /** Those that began at this time or later. Milliseconds since 1970. */
  readonly since?: number;
  /** The whole route. Or the path, which a prerendered page has in its place. */
  readonly route?: string;
  /** A part of the route or of the path, in capitals or not. */
  readonly routePart?: string;
  /** 2 for 200 to 299, and so on. */
  readonly statusClass?: number;
  /** With a digest, a status of 500 or more, or a stream that broke. */
  readonly isFailed?: boolean;
  /** The whole id of the build that answered. */
  readonly build?: string;
  /** In its stored form. */
  readonly digest?: string;
  readonly slowerThanMs?: number;
  /** By its Flight. Where that is not known, it is not larger. */
  readonly largerThan?: number;
};

/** For `like`: what contains `text`, in which no character has a meaning of its own, without capitals of ASCII. */
function toPattern(text: string): string {
  const small = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return `%${small.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** `lower` changes the letters of ASCII alone, in SQLite and in PostgreSQL's columns, which compare bytes. */
function contains(part: string) {
  const pattern = toPattern(part);
  return sql<boolean>`(lower(route) like ${pattern} escape '\\' or lower(path) like ${pattern} escape '\\')`;
}

/**
 * For `where`. Most columns have no index: whoever asks bounds how many rows are read.
 */
export function matchFlights(filter: FlightFilter) {
  return (eb: ExpressionBuilder<FlightTables, 'flight'>): Expression<SqlBool> => {
    const terms: Expression<SqlBool>[] = [];
    const { app, route, routePart, statusClass, build, digest } = filter;
    if (app !== undefined) terms.push(ofApp(app));
    // A function of the column: by the index of apps, all rows of other apps would be read and then put in order.
    if (filter.isOfOthers) terms.push(sql<boolean>`coalesce(app, '') != ${ownApp}`);
    if (filter.kinds) terms.push(eb('kind', 'in', filter.kinds));
    if (filter.since !== undefined) terms.push(eb('started_at', '>=', filter.since));
    if (route !== undefined) terms.push(eb.or([eb('route', '=', route), eb('path', '=', route)]));
    if (routePart !== undefined) terms.push(contains(routePart));
    if (statusClass !== undefined) {
      terms.push(eb('status', '>=', statusClass * 100), eb('status', '<', statusClass * 100 + 100));
    }
    if (filter.isFailed) {
      terms.push(eb.or([eb('digests', '!=', ''), eb('status', '>=', 500), eb('outcome', '=', 'failed')]));
    }
    if (build !== undefined) terms.push(eb('build', '=', build));
    if (digest !== undefined) {
      const carrying = eb.selectFrom('flight_digest').select('flight_id').where('digest', '=', digest);
      terms.push(eb('id', 'in', app === undefined ? carrying : carrying.where('flight_digest.app', '=', app)));
    }
    if (filter.slowerThanMs !== undefined) terms.push(eb('duration_ms', '>', filter.slowerThanMs));
    if (filter.largerThan !== undefined) terms.push(eb(flightSize, '>', filter.largerThan));
    return eb.and(terms);
  };
}
