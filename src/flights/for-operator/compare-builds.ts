import 'server-only';

import type { BuildFigures, BuildRoute } from './build-figures.ts';

/** Of one or two flights nobody knows whether they are usual. */
const flightsCompared = 3;
/** Less is what a page's own data makes. */
const heavierBytes = 1_000;
const heavierShare = 0.1;

export function hasFew({ flights }: BuildRoute): boolean {
  return flights < flightsCompared;
}

/** One route in a build and in the one before it. */
export type ComparedRoute = {
  readonly now: BuildRoute;
  /** Undefined where the build before had no such route. */
  readonly before: BuildRoute | undefined;
  readonly isHeavier: boolean;
};

function isHeavier(now: BuildRoute, before: BuildRoute | undefined): boolean {
  if (!before || now.bytes === undefined || before.bytes === undefined) return false;
  if (hasFew(now) || hasFew(before)) return false;
  const more = now.bytes - before.bytes;
  return more >= heavierBytes && more >= before.bytes * heavierShare;
}

function findGrowth({ now, before }: ComparedRoute): number {
  return (now.bytes ?? 0) - (before ? (before.bytes ?? 0) : (now.bytes ?? 0));
}

/** The build that began before this one, as far as flights show; undefined where none is known. */
export function findBuildBefore({ builds }: BuildFigures, build: string): string | undefined {
  const at = builds.findIndex((one) => one.build === build);
  return at === -1 ? undefined : builds[at + 1]?.build;
}

/**
 * What grew most is the first. Without prefetches: a framework asks for a page's tree, for parts of it or for all, and a median of those
 * follows from what was asked for.
 */
export function compareBuilds({ routes }: BuildFigures, build: string, before: string | undefined): ComparedRoute[] {
  const key = ({ kind, route }: BuildRoute) => `${kind} ${route}`;
  const earlier = new Map(routes.filter((one) => one.build === before).map((one) => [key(one), one]));
  return routes
    .filter((one) => one.build === build && one.kind !== 'prefetch')
    .map((now) => {
      const then = earlier.get(key(now));
      return { now, before: then, isHeavier: isHeavier(now, then) };
    })
    .toSorted((a, b) => findGrowth(b) - findGrowth(a) || b.now.flights - a.now.flights);
}
