import type { FrameworkRecord } from './framework-record.ts';
import { next } from './next.ts';
import { parcel } from './parcel.ts';
import { pluginRsc } from './plugin-rsc.ts';
import { reactRouter } from './react-router.ts';
import { redwoodSdk } from './redwood-sdk.ts';
import { tanstackStart } from './tanstack-start.ts';
import { waku } from './waku.ts';

/** In the order in which they are asked whether a payload is theirs. */
const records = [next, tanstackStart, redwoodSdk, waku, reactRouter, pluginRsc, parcel] as const;

export type Framework = (typeof records)[number]['name'];

type KnownRecord = FrameworkRecord & { readonly name: Framework };

export const frameworkRecords: readonly KnownRecord[] = records;

const byName: ReadonlyMap<string, KnownRecord> = new Map(frameworkRecords.map((record) => [record.name, record]));

export function recordOf(framework: Framework): KnownRecord {
  return byName.get(framework) ?? next;
}

/** Gives the framework's name as people write it. */
export function nameFramework(framework: Framework): string {
  return recordOf(framework).label;
}
