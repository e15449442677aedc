import { parseAppQuery } from '#src/ui/app-query.ts';
import type { FlightFilter } from '#src/flights/for-operator/match-flights.ts';
import type { FlightOrder } from '#src/flights/for-operator/sort-flights.ts';
import { parseDigest } from '#report/digest.ts';

/**
 * The address of the list of flights says what the list shows. A plain form writes it, so it can be bookmarked and
 * shared, and works without JavaScript. It comes from outside: what cannot be read is left out, and a text that is not
 * a digest is reported.
 */
export const kinds = [
  'document',
  'navigation',
  'prefetch',
  'navigation-or-prefetch',
  'action',
  'slice',
  'other',
] as const;

const statuses = ['2', '3', '4', '5', 'failed'] as const;
const sorts = [
  'time',
  'flight',
  'response',
  'transferred',
  'duration',
  'status',
] as const satisfies readonly FlightOrder['by'][];
/** Milliseconds. The last one is the runtime's own limit for a navigation without progress. */
export const slowSteps = [100, 500, 1_000, 3_800] as const;
/** Bytes. The largest is about what is kept of one flight at most. */
export const largeSteps = [10_000, 100_000, 1_000_000] as const;

type Kind = (typeof kinds)[number];
type Status = (typeof statuses)[number];

export type FlightQuery = {
  /** What the page shows: flights, or their totals. */
  readonly view: 'list' | 'routes';
  /** Undefined for all apps. */
  readonly app: string | undefined;
  /** Where there are other apps, a list of all leaves out this server itself unless the address asks for it. */
  readonly isWithOwn: boolean;
  readonly kinds: readonly Kind[];
  /** A part of a route or of a path. In double quotes, the whole of one. */
  readonly route: string;
  readonly status: Status | undefined;
  /** The whole id of a build. */
  readonly build: string;
  /** As it was typed. */
  readonly digest: string;
  readonly slowerThanMs: number | undefined;
  readonly largerThan: number | undefined;
  /** Undefined for the newest first. */
  readonly order: FlightOrder | undefined;
  /** The list begins below this id; undefined for the newest. */
  readonly before: number | undefined;
  /** Of a list in another order than that of time: how many flights stand on the pages before this one. */
  readonly skip: number;
};

/** Routes of this app are much shorter. */
const longestText = 300;

function readStep(text: string | null, steps: readonly number[]): number | undefined {
  return steps.find((step) => String(step) === text);
}

/** The id of a flight; undefined when `text` is not an id. */
export function parseFlightId(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function parseOrder(fields: URLSearchParams): FlightOrder | undefined {
  const by = sorts.find((sort) => sort === fields.get('sort'));
  const isAscending = fields.get('dir') === 'asc';
  return by === undefined || (by === 'time' && !isAscending) ? undefined : { by, isAscending };
}

export function parseFlightQuery(text: string): FlightQuery {
  const fields = new URLSearchParams(text);
  const asked = fields.getAll('kind');
  const skip = fields.get('skip') ?? '';
  return {
    view: fields.get('view') === 'routes' ? 'routes' : 'list',
    app: parseAppQuery(text),
    isWithOwn: fields.get('own') === '1',
    kinds: kinds.filter((kind) => asked.includes(kind)),
    route: (fields.get('route') ?? '').trim().slice(0, longestText),
    status: statuses.find((status) => status === fields.get('status')),
    build: (fields.get('build') ?? '').trim().slice(0, longestText),
    digest: (fields.get('digest') ?? '').trim().slice(0, longestText),
    slowerThanMs: readStep(fields.get('slow'), slowSteps),
    largerThan: readStep(fields.get('large'), largeSteps),
    order: parseOrder(fields),
    before: parseFlightId(fields.get('before')),
    // No stretch that is sorted is longer than five digits say.
    skip: /^[1-9]\d{0,4}$/.test(skip) ? Number(skip) : 0,
  };
}

/** `?…` with what is set, or an empty string. `parseFlightQuery` reads the same from it. */
export function formatFlightQuery(query: FlightQuery): string {
  const fields = new URLSearchParams();
  if (query.view !== 'list') fields.set('view', query.view);
  if (query.app !== undefined) fields.set('app', query.app);
  if (query.isWithOwn) fields.set('own', '1');
  for (const kind of query.kinds) fields.append('kind', kind);
  if (query.route) fields.set('route', query.route);
  if (query.status) fields.set('status', query.status);
  if (query.build) fields.set('build', query.build);
  if (query.digest) fields.set('digest', query.digest);
  if (query.slowerThanMs !== undefined) fields.set('slow', String(query.slowerThanMs));
  if (query.largerThan !== undefined) fields.set('large', String(query.largerThan));
  if (query.order) fields.set('sort', query.order.by);
  if (query.order?.isAscending) fields.set('dir', 'asc');
  if (query.before !== undefined) fields.set('before', String(query.before));
  if (query.skip > 0) fields.set('skip', String(query.skip));
  return fields.size === 0 ? '' : `?${fields.toString()}`;
}

/** The same list from its beginning. */
export function toFirstPage(query: FlightQuery): FlightQuery {
  return { ...query, before: undefined, skip: 0 };
}

/** The same list without a filter: of the same app, in the same order. */
export function withoutFilter({ view, app, isWithOwn, order }: FlightQuery): FlightQuery {
  return { ...parseFlightQuery(''), view, app, isWithOwn, order };
}

/** Besides the app: that is no filter of a list, it says which list. */
export function hasFilter(query: FlightQuery): boolean {
  return formatFlightQuery(toFirstPage(query)) !== formatFlightQuery(withoutFilter(query));
}

/** For `route` of a query: `/` alone would be a part of every route. */
export function quoteRoute(route: string): string {
  return `"${route}"`;
}

function readRoute(text: string): Pick<FlightFilter, 'route' | 'routePart'> {
  const [, whole] = /^"(.+)"$/.exec(text) ?? [];
  if (whole !== undefined) return { route: whole };
  // Somebody who has not typed the second one yet.
  const part = text.replace(/^"/, '');
  return part === '' ? {} : { routePart: part };
}

/** Reads a digest. Another framework's is some text, which nearly always has a digit. */
function readFilterDigest(text: string): string | undefined {
  return parseDigest(text) ?? (/^(?=.*\d)[!-~]{1,64}$/.test(text) ? text : undefined);
}

/**
 * Whether the list leaves out this server itself: where there are other apps, they are why somebody looks. A digest says by
 * itself whose it is.
 */
export function leavesOutOwn(query: FlightQuery, apps: readonly { readonly isOwn: boolean }[]): boolean {
  return query.app === undefined && !query.isWithOwn && query.digest === '' && apps.some(({ isOwn }) => !isOwn);
}

/**
 * The filter for the recorder's queries; undefined when nothing can match, because the text is not a digest.
 * @param apps those that are recorded
 */
export function toFlightFilter(
  query: FlightQuery,
  apps: readonly { readonly isOwn: boolean }[],
): FlightFilter | undefined {
  const digest = query.digest === '' ? undefined : readFilterDigest(query.digest);
  if (query.digest !== '' && digest === undefined) return undefined;
  return {
    ...(query.app === undefined ? {} : { app: query.app }),
    ...(leavesOutOwn(query, apps) ? { isOfOthers: true } : {}),
    ...(query.kinds.length > 0 ? { kinds: query.kinds } : {}),
    ...readRoute(query.route),
    ...(query.status === 'failed' ? { isFailed: true } : {}),
    ...(query.status && query.status !== 'failed' ? { statusClass: Number(query.status) } : {}),
    ...(query.build === '' ? {} : { build: query.build }),
    ...(digest === undefined ? {} : { digest }),
    ...(query.slowerThanMs === undefined ? {} : { slowerThanMs: query.slowerThanMs }),
    ...(query.largerThan === undefined ? {} : { largerThan: query.largerThan }),
  };
}
