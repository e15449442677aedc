import { parseAppQuery } from '#src/components/app-query.ts';
import type { FlightFilter } from '#src/recorder/for-operator/queries.ts';
import { parseDigest } from '#src/runtime/errors/digest.ts';

/**
 * The address of the list of flights says what the list shows. A plain form writes it, so it can be bookmarked and
 * shared, and works without JavaScript. It comes from outside: what cannot be read is left out, and a text that is not
 * a digest is reported.
 */
export const kinds = ['document', 'navigation', 'prefetch', 'action', 'slice'] as const;

const statuses = ['2', '3', '4', '5', 'failed'] as const;
/** Milliseconds. The last one is the runtime's own limit for a navigation without progress. */
export const slowSteps = [100, 500, 1_000, 3_800] as const;
/** Bytes. The largest is about what is kept of one flight at most. */
export const largeSteps = [10_000, 100_000, 1_000_000] as const;

type Kind = (typeof kinds)[number];
type Status = (typeof statuses)[number];

export type FlightQuery = {
  /** Undefined for all apps. */
  readonly app: string | undefined;
  readonly kinds: readonly Kind[];
  readonly route: string;
  readonly status: Status | undefined;
  /** As it was typed. */
  readonly digest: string;
  readonly slowerThanMs: number | undefined;
  readonly largerThan: number | undefined;
  /** The list begins below this id; undefined for the newest. */
  readonly before: number | undefined;
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

export function parseFlightQuery(text: string): FlightQuery {
  const fields = new URLSearchParams(text);
  const asked = fields.getAll('kind');
  return {
    app: parseAppQuery(text),
    kinds: kinds.filter((kind) => asked.includes(kind)),
    route: (fields.get('route') ?? '').trim().slice(0, longestText),
    status: statuses.find((status) => status === fields.get('status')),
    digest: (fields.get('digest') ?? '').trim().slice(0, longestText),
    slowerThanMs: readStep(fields.get('slow'), slowSteps),
    largerThan: readStep(fields.get('large'), largeSteps),
    before: parseFlightId(fields.get('before')),
  };
}

/** `?…` with what is set, or an empty string. `parseFlightQuery` reads the same from it. */
export function formatFlightQuery(query: FlightQuery): string {
  const fields = new URLSearchParams();
  if (query.app !== undefined) fields.set('app', query.app);
  for (const kind of query.kinds) fields.append('kind', kind);
  if (query.route) fields.set('route', query.route);
  if (query.status) fields.set('status', query.status);
  if (query.digest) fields.set('digest', query.digest);
  if (query.slowerThanMs !== undefined) fields.set('slow', String(query.slowerThanMs));
  if (query.largerThan !== undefined) fields.set('large', String(query.largerThan));
  if (query.before !== undefined) fields.set('before', String(query.before));
  return fields.size === 0 ? '' : `?${fields.toString()}`;
}

/** Besides the app: that is no filter of a list, it says which list. */
export function hasFilter(query: FlightQuery): boolean {
  return formatFlightQuery({ ...query, app: undefined, before: undefined }) !== '';
}

/** Of another framework a digest is some text; nearly always it has a digit. */
function readFilterDigest(text: string): string | undefined {
  return parseDigest(text) ?? (/^(?=.*\d)[!-~]{1,64}$/.test(text) ? text : undefined);
}

/** The filter for the recorder's queries; undefined when nothing can match, because the text is not a digest. */
export function toFlightFilter(query: FlightQuery): FlightFilter | undefined {
  const digest = query.digest === '' ? undefined : readFilterDigest(query.digest);
  if (query.digest !== '' && digest === undefined) return undefined;
  return {
    ...(query.app === undefined ? {} : { app: query.app }),
    ...(query.kinds.length > 0 ? { kinds: query.kinds } : {}),
    ...(query.route ? { route: query.route } : {}),
    ...(query.status === 'failed' ? { isFailed: true } : {}),
    ...(query.status && query.status !== 'failed' ? { statusClass: Number(query.status) } : {}),
    ...(digest === undefined ? {} : { digest }),
    ...(query.slowerThanMs === undefined ? {} : { slowerThanMs: query.slowerThanMs }),
    ...(query.largerThan === undefined ? {} : { largerThan: query.largerThan }),
  };
}
