import 'server-only';

import { noteBuilds } from '#src/faults/builds/note-builds.ts';
import { storeOldTabs } from '#src/faults/builds/store-old-tabs.ts';
import { readOldTabs } from '#src/flights/recorder/read-old-tabs.ts';
import { readNewestFlight } from '#src/flights/recorder/read-failed-answers.ts';
import { readNewBuilds } from '#src/flights/recorder/read-new-builds.ts';

import { repeatLook } from './repeat-look.ts';

/** Looks into what was recorded for builds that nobody has heard of. A fault that comes with one is stored within seconds of it. */
const lookEveryMs = 2_000;
/** After a start; and no more at once. */
const flightsLookedBack = 10_000;
const buildsKnown = 1_000;

/** @returns one look, to be repeated; looks do not overlap */
export function createBuildFollower(): () => Promise<void> {
  let after: number | undefined;
  const known = new Set<string>();

  return async function look() {
    const newest = await readNewestFlight();
    if (newest === after) return;
    // The recording was emptied, or a proxy has written more than a look takes.
    const isBefore = after === undefined || newest < after || newest - after > flightsLookedBack;
    const from = isBefore ? Math.max(0, newest - flightsLookedBack) : (after ?? 0);
    const keyOf = ({ app, build }: { app: string; build: string }) => `${app} ${build}`;
    const builds = (await readNewBuilds(from, newest)).filter((one) => !known.has(keyOf(one)));
    if (builds.length > 0 && !(await noteBuilds(builds))) return;
    if (known.size > buildsKnown) known.clear();
    for (const one of builds) known.add(keyOf(one));
    const tabs = await readOldTabs(from, newest);
    // The next look reads what is left.
    if (await storeOldTabs(tabs.requests, Date.now())) after = tabs.upTo;
  };
}

/** @returns what ends it */
export function followBuilds(isHeld: () => boolean): () => Promise<void> {
  return repeatLook({ look: createBuildFollower(), everyMs: lookEveryMs, event: 'builds-not-read' }, isHeld);
}
