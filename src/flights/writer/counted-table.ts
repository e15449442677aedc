import { leaksKept, otherRoutes, type Leak, type StoredLeak } from '../flight/leak.ts';
import { otherTabs, stormsKept, type Storm, type StoredStorm } from '../flight/storm.ts';

/** A table of what is counted of an app: one row for each key, which counts what comes again. */
export type CountedTable<Row extends { readonly app: string }> = {
  readonly name: 'leak' | 'storm';
  /** The app first. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** In the order of `columns`. */
  readonly toValues: (row: Row) => (string | number)[];
  /** What a row that is there gets of one with its key. */
  readonly again: string;
  /** Of one app. */
  readonly kept: number;
  /** What is counted when an app has as many. */
  readonly withoutPlace: (row: Row) => Row;
};

/** PostgreSQL has no such character. */
function toText(value: string | number): string | number {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

const leakKey = ['app', 'name', 'component', 'path', 'route'] as const;
const leakColumns = [...leakKey, 'rule', 'count', 'first_at', 'last_at', 'request_id'] as const;

export const leakTable: CountedTable<Leak> = {
  name: 'leak',
  key: leakKey,
  columns: leakColumns,
  toValues({ firstAt, lastAt, requestId, ...leak }) {
    const row: StoredLeak = {
      ...leak,
      first_at: Math.round(firstAt),
      last_at: Math.round(lastAt),
      request_id: requestId,
    };
    return leakColumns.map((column) => toText(row[column]));
  },
  again: 'count = leak.count + excluded.count, last_at = excluded.last_at, request_id = excluded.request_id',
  kept: leaksKept,
  withoutPlace: (leak) => ({ ...leak, component: '', path: '', route: otherRoutes }),
};

/** Node reads no larger number, and the page of all apps would fail for one. */
function addWhole(one: string, other: string): string {
  const most = Number.MAX_SAFE_INTEGER;
  return `case when ${one} > ${most} - ${other} then ${most} else ${one} + ${other} end`;
}

const stormKey = ['app', 'tab', 'route'] as const;
const stormSums = ['requests', 'sized', 'bytes', 'prefetches', 'prefetch_bytes', 'unsure'] as const;
const stormColumns = [...stormKey, 'page', ...stormSums, 'peak', 'first_at', 'last_at', 'request_id'] as const;

export const stormTable: CountedTable<Storm> = {
  name: 'storm',
  key: stormKey,
  columns: stormColumns,
  toValues({ prefetchBytes, firstAt, lastAt, requestId, ...storm }) {
    const row: StoredStorm = {
      ...storm,
      prefetch_bytes: prefetchBytes,
      first_at: Math.round(firstAt),
      last_at: Math.round(lastAt),
      request_id: requestId,
    };
    return stormColumns.map((column) => toText(row[column]));
  },
  again: [
    ...stormSums.map((sum) => `${sum} = ${addWhole(`storm.${sum}`, `excluded.${sum}`)}`),
    'peak = case when excluded.peak > storm.peak then excluded.peak else storm.peak end',
    'last_at = excluded.last_at',
    'request_id = excluded.request_id',
  ].join(', '),
  kept: stormsKept,
  withoutPlace: (storm) => ({ ...storm, tab: otherTabs, route: '', page: '' }),
};

/** With the values in the form of the database: `?`, or `$1` and so on. */
export function writeCountedInsert<Row extends { readonly app: string }>(
  { name, key, columns, again }: CountedTable<Row>,
  mark: (index: number) => string,
): string {
  const values = columns.map((_, index) => mark(index)).join(', ');
  return `insert into ${name} (${columns.join(', ')}) values (${values}) on conflict (${key.join(', ')}) do update set ${again}`;
}
