import { parseAppQuery } from '#src/ui/app-query.ts';
import { searchField } from '#src/ui/search-field.ts';
import type { FaultFilter } from '#src/faults/grouping/filter-faults.ts';
import type { FaultListQuery, FaultOrder, FaultPlace } from '#src/faults/grouping/list-faults.ts';

/**
 * The address of the list of faults says what the list shows. Plain forms write it, so it can be bookmarked and shared, and works
 * without JavaScript. It comes from outside: what cannot be read is left out.
 */
export const states = ['open', 'unseen', 'resolved', 'snoozed', 'muted', 'any'] as const;
export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const satisfies readonly FaultFilter['level'][];
/** `any`: what servers had and what only browsers report, in one list. */
export const sides = ['server', 'browser', 'any'] as const;
/** In which a fault occurred, in hours. */
export const spans = { '1h': 1, '24h': 24, '7d': 7 * 24, '14d': 14 * 24, '30d': 30 * 24 } as const;
export const phases: readonly string[] = [
  'rsc',
  'ssr',
  'action',
  'document',
  'page-data',
  'route',
  'proxy',
  'process',
  'unknown',
  'answer',
  'browser',
];
const orders = ['last', 'first', 'count', 'users'] as const satisfies readonly FaultOrder[];
const hourMs = 3_600_000;

type Span = keyof typeof spans;

export type FaultQuery = {
  /** Undefined for all apps. */
  readonly app: string | undefined;
  /** What was typed into the search box. */
  readonly text: string;
  /** Without a word on it: open faults, and those in any state where words are searched. */
  readonly state: FaultFilter['state'];
  /** Without a word on it: faults of servers, and those that only browsers report where no server's fault matches. */
  readonly side: (typeof sides)[number] | undefined;
  readonly level: FaultFilter['level'];
  readonly span: Span | undefined;
  readonly release: string;
  /** In which it was first seen. */
  readonly firstRelease: string;
  readonly environment: string;
  readonly phase: string;
  /** A part of a route or a path. In double quotes, the whole of one. */
  readonly route: string;
  readonly order: FaultOrder;
  readonly place: FaultPlace | undefined;
  /** How far the sparklines go back. */
  readonly spark: '24h' | '14d';
  /** Which faults are ticked before anybody ticked one. */
  readonly chosen: 'page' | 'all' | undefined;
};

const pageSize = 50;
/** As much as the search box takes. */
const longestText = 1_000;
/** As long as a stored value is. */
const longestValue = 200;

function readPlace(fields: URLSearchParams): FaultPlace | undefined {
  for (const side of ['after', 'before'] as const) {
    const [, value, id] = /^(\d{1,15})\.([\da-z]{1,40})$/.exec(fields.get(side) ?? '') ?? [];
    if (value !== undefined && id !== undefined) return { side, value: Number(value), id };
  }
  return undefined;
}

function readText(fields: URLSearchParams, name: string, longest: number = longestValue): string {
  return (fields.get(name) ?? '').trim().slice(0, longest);
}

function readSpan(value: string | null): Span | undefined {
  switch (value) {
    case '1h':
    case '24h':
    case '7d':
    case '14d':
    case '30d':
      return value;
    default:
      return undefined;
  }
}

function usualState(text: string): FaultQuery['state'] {
  return text === '' ? 'open' : 'any';
}

export function parseFaultQuery(search: string): FaultQuery {
  const fields = new URLSearchParams(search);
  const text = readText(fields, searchField, longestText);
  const phase = readText(fields, 'phase');
  const chosen = fields.get('chosen');
  return {
    app: parseAppQuery(search),
    text,
    state: states.find((state) => state === fields.get('state')) ?? usualState(text),
    side: sides.find((side) => side === fields.get('side')),
    level: levels.find((level) => level === fields.get('level')),
    span: readSpan(fields.get('since')),
    release: readText(fields, 'release'),
    firstRelease: readText(fields, 'first-release'),
    environment: readText(fields, 'environment'),
    phase: phases.includes(phase) ? phase : '',
    route: readText(fields, 'route'),
    order: orders.find((order) => order === fields.get('sort')) ?? 'last',
    place: readPlace(fields),
    spark: fields.get('spark') === '14d' ? '14d' : '24h',
    chosen: chosen === 'page' || chosen === 'all' ? chosen : undefined,
  };
}

/** `?…` with what is set, or an empty string. `parseFaultQuery` reads the same from it. */
export function formatFaultQuery(query: FaultQuery): string {
  const {
    app,
    text,
    state,
    side,
    level,
    span,
    release,
    firstRelease,
    environment,
    phase,
    route,
    order,
    place,
    spark,
    chosen,
  } = query;
  const set: readonly (readonly [string, string | undefined])[] = [
    ['app', app],
    [searchField, text],
    ['state', state === usualState(text) ? undefined : state],
    ['side', side],
    ['level', level],
    ['since', span],
    ['release', release],
    ['first-release', firstRelease],
    ['environment', environment],
    ['phase', phase],
    ['route', route],
    ['sort', order === 'last' ? undefined : order],
    ['spark', spark === '24h' ? undefined : spark],
    [place?.side ?? 'after', place && `${place.value}.${place.id}`],
    ['chosen', chosen],
  ];
  const fields = new URLSearchParams();
  for (const [name, value] of set) if (value !== undefined && value !== '') fields.set(name, value);
  return fields.size === 0 ? '' : `?${fields.toString()}`;
}

/** The same list from its beginning, with nothing ticked. */
export function toFirstPage(query: FaultQuery): FaultQuery {
  return { ...query, place: undefined, chosen: undefined };
}

/** The same list without a filter and without a search: of the same app, in the same order. */
export function withoutFilter({ app, order, spark }: FaultQuery): FaultQuery {
  return { ...parseFaultQuery(''), app, order, spark };
}

/** Besides the app: that is no filter of a list, it says which list. */
export function hasFilter(query: FaultQuery): boolean {
  return formatFaultQuery(toFirstPage(query)) !== formatFaultQuery(withoutFilter(query));
}

/** Besides the words that are searched. */
export function hasFields(query: FaultQuery): boolean {
  const { text } = query;
  const bare = { ...withoutFilter(query), text, state: usualState(text) };
  return formatFaultQuery(toFirstPage(query)) !== formatFaultQuery(bare);
}

/** For the query of the store. */
export function toListQuery(query: FaultQuery, now: number): FaultListQuery {
  const { app, text, state, side, level, span, release, firstRelease, environment, phase, route, order, place, spark } =
    query;
  return {
    text,
    order,
    place,
    limit: pageSize,
    hours: spans[spark],
    filter: {
      app,
      state,
      side: side === 'any' ? undefined : (side ?? 'servers-first'),
      level,
      since: span && now - spans[span] * hourMs,
      release: release || undefined,
      firstRelease: firstRelease || undefined,
      environment: environment || undefined,
      phase: phase || undefined,
      route: route || undefined,
    },
  };
}
