import { formatBytes, formatBytesChange, formatCount } from '#flight';

import type { Answer, ComparedRoute } from './compare-route.ts';
import type { Growth } from './compare-arguments.ts';

/** The words of a comparison, the same in a terminal, in Markdown and in the file with the viewer. */

const unknown = '–';

function change(before: number, after: number, format: (count: number) => string): string {
  return before === after ? format(after) : `${format(before)} → ${format(after)}`;
}

/** A figure of both sides; of one alone where the other has none. */
function describeFigure(
  { base, head }: ComparedRoute,
  read: (answer: Answer) => number | undefined,
  format: (count: number) => string,
): string {
  const before = base && read(base);
  const after = head && read(head);
  if (before !== undefined && after !== undefined) return change(before, after, format);
  const only = before ?? after;
  return only === undefined ? unknown : format(only);
}

export type RouteRow = {
  readonly route: string;
  readonly flight: string;
  readonly change: string;
  readonly transferred: string;
  readonly rows: string;
  readonly modules: string;
};

function growthOf({ base, head }: ComparedRoute): number | undefined {
  return base && head ? head.report.sizes.flight - base.report.sizes.flight : undefined;
}

function describeGrowth(route: ComparedRoute): string {
  if (route.verdict === 'added') return 'new';
  if (route.verdict === 'removed') return 'gone';
  const growth = growthOf(route) ?? 0;
  return growth === 0 ? 'same size' : formatBytesChange(growth);
}

export function describeRow(route: ComparedRoute): RouteRow {
  return {
    route: route.path,
    flight: describeFigure(route, ({ report }) => report.sizes.flight, formatBytes),
    change: describeGrowth(route),
    transferred: describeFigure(route, ({ report }) => report.sizes.transferred, formatBytes),
    rows: describeFigure(route, ({ report }) => report.flight.rows.count, formatCount),
    modules: describeFigure(route, ({ report }) => report.modules.length, formatCount),
  };
}

/** What is said of a route, a line each, what matters most first. */
export function listLines(route: ComparedRoute): string[] {
  const { verdict, secrets, findings, modules, changes } = route;
  const lines = [
    ...secrets.map(({ title }) => `new secret: ${title}`),
    ...changes,
    ...modules.added.map((name) => `new client module: ${name}`),
    ...modules.removed.map((name) => `client module gone: ${name}`),
    ...findings.added.map(({ title }) => `new: ${title}`),
    ...findings.removed.map(({ title }) => `gone: ${title}`),
  ];
  if (verdict === 'otherwise') lines.unshift('the same content in another number of bytes');
  return lines;
}

/** How many bytes, or other things, may be more than `before`. */
export function allowGrowth(before: number, { unit, value }: Growth): number {
  return unit === 'percent' ? (before * value) / 100 : value;
}

/** What exceeds the growth that is allowed; undefined where nothing does, and of a route that one side has alone. */
export function exceedsGrowth(route: ComparedRoute, most: Growth): string | undefined {
  const growth = growthOf(route);
  if (growth === undefined || route.verdict === 'same') return undefined;
  const allowed = allowGrowth(route.base?.report.sizes.flight ?? 0, most);
  if (growth <= allowed) return undefined;
  return `it grew by ${formatBytes(growth)}, and ${formatBytes(allowed)} are allowed`;
}

/** How many routes of each kind there are: `12 routes: 2 changed, 1 new, 9 the same`. */
export function countVerdicts(routes: readonly ComparedRoute[]): string {
  const names: readonly (readonly [ComparedRoute['verdict'], string])[] = [
    ['changed', 'changed'],
    ['otherwise', 'of another size'],
    ['added', 'new'],
    ['removed', 'gone'],
    ['same', 'the same'],
  ];
  const counts = names.flatMap(([verdict, name]) => {
    const count = routes.filter((route) => route.verdict === verdict).length;
    return count === 0 ? [] : [`${formatCount(count)} ${name}`];
  });
  return `${formatCount(routes.length)} ${routes.length === 1 ? 'route' : 'routes'}: ${counts.join(', ')}`;
}

/** The routes with something to say, the largest change first. */
export function listOther(routes: readonly ComparedRoute[]): ComparedRoute[] {
  const weight = (route: ComparedRoute) => Math.abs(growthOf(route) ?? 0);
  return routes
    .filter(({ verdict }) => verdict !== 'same')
    .toSorted((a, b) => b.secrets.length - a.secrets.length || weight(b) - weight(a));
}
