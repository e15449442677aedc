import { byteKindNames, byteKinds, countOf, formatBytes, formatCount, nameFramework, recordOf } from '#flight';

import type { CheckFinding, Severity } from './check-finding.ts';
import type { CheckedRoute } from './check-route.ts';
import type { SiteCheck } from './check-site.ts';

/** What every form of the report says, in words. */

export const severityNames: Readonly<Record<Severity, string>> = {
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  note: 'Note',
};

/** `Next.js 16.4.6, React 19.3.1`; what does not show is not named. */
export function nameSite({ framework, versions }: SiteCheck): string {
  const label = framework && nameFramework(framework);
  const all = [...versions].map(([name, version]) => `${name} ${version}`);
  const isNamed = label === undefined || versions.has(label);
  return (isNamed ? all : [label, ...all]).join(', ') || 'framework unknown';
}

export function countWork({ routes, requests }: SiteCheck): string {
  return `${countOf(routes.length, 'page')}, ${countOf(requests, 'request')}`;
}

export type RouteRow = {
  readonly path: string;
  readonly status: string;
  /** As they were sent. */
  readonly document: string;
  readonly navigation: string;
  readonly prefetch: string;
  /** Of the payload, before compression. */
  readonly flight: string;
  readonly rows: string;
  readonly modules: string;
  /** The three largest kinds of bytes. */
  readonly madeOf: string;
};

const unknown = 'unknown';

function listLargest({ report }: CheckedRoute): string {
  if (!report) return '';
  const { attribution } = report;
  const sizes = byteKinds.map((kind) => [byteKindNames[kind], attribution.kinds[kind]] as const);
  const largest = sizes.filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a);
  return largest
    .slice(0, 3)
    .map(([name, bytes]) => `${name} ${Math.round((100 * bytes) / attribution.total)} %`)
    .join(', ');
}

/** Where a framework prefetches with the request of a navigation, there was nothing more to ask for. */
function describePrefetch({ framework, navigation, prefetch }: CheckedRoute): string {
  if (prefetch) return formatBytes(prefetch.answer.transferred);
  const isSame = framework !== undefined && recordOf(framework).askPrefetch === undefined;
  return isSame && navigation ? 'as the navigation' : unknown;
}

export function describeRoute(route: CheckedRoute): RouteRow {
  const { path, document, navigation, report } = route;
  return {
    path,
    status: String(document.status),
    document: formatBytes(document.transferred),
    navigation: navigation ? formatBytes(navigation.answer.transferred) : unknown,
    prefetch: describePrefetch(route),
    flight: report ? formatBytes(report.sizes.flight) : unknown,
    rows: report ? formatCount(report.flight.rows.count) : unknown,
    modules: report ? formatCount(report.modules.length) : unknown,
    madeOf: listLargest(route),
  };
}

/** `on /a, /b and 3 more`; nothing of the whole site. */
export function namePaths({ paths }: Pick<CheckFinding, 'paths'>, max = 3): string {
  const more = paths.length - max;
  const shown = paths.slice(0, max).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** What was not looked at, and why: the pages with one reason are one line. */
export function listProblems({ failed, routes, forbidden }: SiteCheck): string[] {
  const paths = new Map<string, string[]>();
  const all = [
    ...failed.map(({ path, reason }) => [reason, path] as const),
    ...routes.flatMap(({ path, problems }) => problems.map((problem) => [problem, path] as const)),
    ...forbidden.map((path) => ['robots.txt forbids it', path] as const),
  ];
  for (const [reason, path] of all) paths.set(reason, [...(paths.get(reason) ?? []), path]);
  return [...paths].map(([reason, those]) => `${namePaths({ paths: [...new Set(those)] })}: ${reason}`);
}
