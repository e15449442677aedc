import 'server-only';

import { countNewFaults } from '#src/faults/builds/count-new-faults.ts';
import { readReleases } from '#src/faults/grouping/read-releases.ts';
import { readBuildFigures, type BuildFigures, type BuildUse } from '#src/flights/for-operator/build-figures.ts';

/** More than anybody compares. */
const buildsShown = 30;

export type KnownBuild = {
  readonly name: string;
  /** When it was first heard of, in an answer or an error. Milliseconds since 1970. */
  readonly firstAt: number;
  /** Undefined where none of the newest flights is of it. */
  readonly use: BuildUse | undefined;
  /** Of servers, that began with it. */
  readonly faults: number;
};

/** What answers say and what errors say of an app's builds: the same names. That which began last is the first. */
export async function readBuilds(
  app: string,
  now: number,
): Promise<{ readonly builds: readonly KnownBuild[]; readonly figures: BuildFigures }> {
  const [figures, releases, faults] = [
    await readBuildFigures(app, now),
    await readReleases(app, 'server'),
    await countNewFaults(app),
  ];
  const heard = new Map(releases.map(({ name, firstTime }) => [name, firstTime]));
  const uses = new Map(figures.builds.map((use) => [use.build, use]));
  const builds = [...new Set([...uses.keys(), ...heard.keys()])].map((name) => {
    const use = uses.get(name);
    const firstAt = Math.min(heard.get(name) ?? Infinity, use?.firstAt ?? Infinity);
    return { name, firstAt, use, faults: faults.get(name) ?? 0 };
  });
  return { builds: builds.toSorted((a, b) => b.firstAt - a.firstAt).slice(0, buildsShown), figures };
}
