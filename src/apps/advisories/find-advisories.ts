import { isAtLeast } from '#src/server/environment/is-at-least.mjs';

import { advisories, listedOn, type Advisory } from './advisory-list.ts';
import type { InstalledPackage } from './read-installed.ts';

/** A package of an app with published advisories. */
export type Weakness = {
  readonly installed: InstalledPackage;
  readonly advisories: readonly Advisory[];
  /** The version that mends all of them; null where the line has none. */
  readonly fixed: string | null;
};

const dayMs = 24 * 60 * 60 * 1_000;

/** Without what is before a release: a canary has what its release has. Undefined of what is no version. */
function readRelease(version: string): string | undefined {
  return /^\d+\.\d+\.\d+/.exec(version)?.[0];
}

/** @returns undefined where the advisory does not speak of the version */
function findFixed({ affected }: Advisory, name: string, release: string): { fixed: string | null } | undefined {
  for (const { packages, lines } of affected) {
    if (!packages.includes(name)) continue;
    const line = lines.find(([from, below]) => isAtLeast(release, from) && !isAtLeast(release, below));
    if (line) return { fixed: line[2] };
  }
  return undefined;
}

function findWeakness(installed: InstalledPackage): Weakness[] {
  const release = readRelease(installed.version);
  if (release === undefined) return [];
  const found = advisories.flatMap((advisory) => {
    const mended = findFixed(advisory, installed.name, release);
    return mended ? [{ advisory, ...mended }] : [];
  });
  if (found.length === 0) return [];
  const fixes = found.map(({ fixed }) => fixed);
  const known = fixes.filter((fixed) => fixed !== null);
  const fixed = fixes.includes(null) ? null : known.reduce((most, one) => (isAtLeast(one, most) ? one : most));
  return [{ installed, advisories: found.map(({ advisory }) => advisory), fixed }];
}

export function findWeaknesses(packages: readonly InstalledPackage[]): Weakness[] {
  return packages.flatMap(findWeakness);
}

/** `next 16.0.5`, `react-server-dom-webpack 19.2.4 in @vitejs/plugin-rsc 0.5.20`. */
export function nameInstalled({ name, version, within }: InstalledPackage): string {
  return `${name} ${version}${within === '' ? '' : ` in ${within}`}`;
}

/** What to do, as a sentence. */
export function adviseOn({ installed, fixed }: Weakness): string {
  if (fixed === null) return `No version of this line mends it: go to the next line of ${installed.name}.`;
  if (installed.within === '') return `${installed.name} ${fixed} mends it.`;
  return `${installed.name} ${fixed} mends it: upgrade ${installed.within.replace(/ \S+$/, '')}, which brings its own.`;
}

/** `The list is of 2026-11-27, 3 days old.` */
export function describeListAge(now: number): string {
  const days = Math.max(0, Math.floor((now - Date.parse(listedOn)) / dayMs));
  return `The list of advisories is of ${listedOn}, ${days === 1 ? '1 day' : `${days} days`} old.`;
}

/** For a terminal: a line for each package, and how old the list is; none where nothing is known. */
export function printWeaknesses(packages: readonly InstalledPackage[], now: number): string[] {
  const lines = findWeaknesses(packages).map((weakness) => {
    const ids = weakness.advisories.map(({ id }) => id).join(', ');
    return `${nameInstalled(weakness.installed)} has ${ids}. ${adviseOn(weakness)}`;
  });
  return lines.length === 0 ? [] : [...lines, describeListAge(now)];
}
