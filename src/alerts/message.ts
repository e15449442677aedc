import 'server-only';

import * as v from 'valibot';

import { escapeText } from '#src/http/escape-text.ts';

/**
 * What an alert says, before it gets the shape of its channel. It is stored as it was when it was made, so a message that is
 * sent again says the same. What senders said of a fault is somebody else's text: it is bounded and put on one line here, and
 * each shape escapes what it has to.
 */
const faultSchema = v.object({
  id: v.string(),
  app: v.string(),
  appName: v.string(),
  side: v.picklist(['server', 'browser']),
  name: v.string(),
  message: v.string(),
  culprit: v.string(),
  level: v.string(),
  /** Of the occurrence that was the reason; empty where it is not known. Messages of earlier versions have none. */
  environment: v.optional(v.string(), ''),
  release: v.string(),
  digest: v.nullable(v.string()),
  count: v.number(),
  claims: v.number(),
  users: v.number(),
  firstTime: v.number(),
  lastTime: v.number(),
});

const counted = v.optional(v.number(), 0);
const summedSchema = v.object({ new: counted, regressed: counted, woke: counted, volume: counted });

const contentSchema = v.variant('type', [
  v.object({
    type: v.literal('fault'),
    reason: v.picklist(['new', 'regressed', 'woke', 'volume']),
    time: v.number(),
    fault: faultSchema,
    /** Occurrences since this channel's last message about the fault; null: this is the first. */
    more: v.nullable(v.number()),
    /** In the hour of the clock, where the reason is a volume. */
    inHour: v.nullable(v.number()),
  }),
  /** Faults that were too many to be told one by one. */
  v.object({ type: v.literal('summary'), time: v.number(), faults: summedSchema }),
  v.object({ type: v.literal('test'), time: v.number() }),
]);

export type FaultContent = Readonly<v.InferOutput<typeof faultSchema>>;
export type Summed = Readonly<v.InferOutput<typeof summedSchema>>;
export type AlertContent = Readonly<v.InferOutput<typeof contentSchema>>;

/** A line of a chat or of a phone. The fault's page has the whole text. */
const longestText = {
  appName: 80,
  name: 120,
  message: 500,
  culprit: 200,
  level: 20,
  environment: 80,
  release: 80,
  digest: 64,
} as const;

export const nothingSummed: Summed = { new: 0, regressed: 0, woke: 0, volume: 0 };

function cut(text: string, longest: number): string {
  const line = escapeText(text.replace(/\s+/g, ' ').trim());
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** On one line each, without characters that a terminal or a header acts on, and not longer than anybody reads. */
export function boundFault(fault: FaultContent): FaultContent {
  return {
    ...fault,
    appName: cut(fault.appName, longestText.appName),
    name: cut(fault.name, longestText.name),
    message: cut(fault.message, longestText.message),
    culprit: cut(fault.culprit, longestText.culprit),
    level: cut(fault.level, longestText.level),
    environment: cut(fault.environment, longestText.environment),
    release: cut(fault.release, longestText.release),
    digest: fault.digest === null ? null : cut(fault.digest, longestText.digest),
  };
}

export function readContent(json: string): AlertContent {
  const stored: unknown = JSON.parse(json);
  return v.parse(contentSchema, stored);
}

export function readSummed(json: string): Summed {
  const stored: unknown = JSON.parse(json);
  return v.parse(summedSchema, stored);
}

export function countSummed({ new: isNew, regressed, woke, volume }: Summed): number {
  return isNew + regressed + woke + volume;
}
