import 'server-only';

import * as v from 'valibot';

import { escapeText } from '#boundary';

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
  /** Of the error that was the reason; empty where it is not known. Messages of earlier versions have none. */
  environment: v.optional(v.string(), ''),
  /** The route's pattern, else the path, of the same error. */
  page: v.optional(v.string(), ''),
  release: v.string(),
  digest: v.nullable(v.string()),
  count: v.number(),
  untrusted: v.number(),
  users: v.number(),
  firstTime: v.number(),
  lastTime: v.number(),
});

const counted = v.optional(v.number(), 0);
const summedSchema = v.object({
  new: counted,
  regressed: counted,
  woke: counted,
  volume: counted,
  /** The first of these faults, which are named. Of earlier versions there are none. */
  first: v.optional(v.array(v.string()), []),
});

const buildSchema = v.object({
  app: v.string(),
  appName: v.string(),
  build: v.string(),
  before: v.string(),
  /** How many faults began with it, and the most frequent of them. */
  faults: v.number(),
  named: v.array(faultSchema),
  /** How many routes send more than before, and those that grew most. */
  heavier: v.number(),
  routes: v.array(v.object({ route: v.string(), kind: v.string(), bytes: v.number(), before: v.number() })),
});

const contentSchema = v.variant('type', [
  v.object({
    type: v.literal('fault'),
    reason: v.picklist(['new', 'regressed', 'woke', 'volume']),
    time: v.number(),
    fault: faultSchema,
    /** Errors since this channel's last message about the fault; null: this is the first. */
    more: v.nullable(v.number()),
    /** In the hour of the clock, where the reason is a volume. */
    inHour: v.nullable(v.number()),
  }),
  /** Faults that were too many to be told one by one. */
  v.object({
    type: v.literal('summary'),
    time: v.number(),
    faults: summedSchema,
    named: v.optional(v.array(faultSchema), []),
  }),
  /** Requests that no client of React could have sent. */
  v.object({
    type: v.literal('tries'),
    time: v.number(),
    app: v.string(),
    appName: v.string(),
    /** Of those that are kept. */
    count: v.number(),
    /** Since this channel's last message about them; null: this is the first. */
    more: v.nullable(v.number()),
    advisories: v.array(v.string()),
  }),
  /** Secrets in what an app sends. */
  v.object({
    type: v.literal('secrets'),
    time: v.number(),
    app: v.string(),
    appName: v.string(),
    /** Places, of those that are kept. */
    count: v.number(),
    /** Since this channel's last message about them; null: this is the first. */
    more: v.nullable(v.number()),
    /** Of the newest place: what it is, where in the page, and on which. */
    name: v.string(),
    place: v.string(),
    route: v.string(),
  }),
  /** Answers that caches mix up, or give to others. */
  v.object({
    type: v.literal('caches'),
    time: v.number(),
    app: v.string(),
    appName: v.string(),
    /** Places, of those that are kept. */
    count: v.number(),
    /** Since this channel's last message about them; null: this is the first. */
    more: v.nullable(v.number()),
    /** Of the newest: what is wrong, and on which page. */
    name: v.string(),
    route: v.string(),
  }),
  /** Tabs that ask for the same again and again. */
  v.object({
    type: v.literal('storms'),
    time: v.number(),
    app: v.string(),
    appName: v.string(),
    /** Tabs, of those that are kept. */
    count: v.number(),
    /** Since this channel's last message about them; null: this is the first. */
    more: v.nullable(v.number()),
    /** Of the newest. */
    route: v.string(),
    page: v.string(),
    tab: v.string(),
    peak: v.number(),
    since: v.number(),
    requests: v.number(),
  }),
  /** What a deploy brought. */
  v.object({ type: v.literal('build'), time: v.number(), ...buildSchema.entries }),
  /** Routes that are slower than the channel allows. */
  v.object({
    type: v.literal('slow'),
    time: v.number(),
    app: v.string(),
    appName: v.string(),
    /** How many, and the slowest of them. */
    count: v.number(),
    routes: v.array(v.object({ route: v.string(), kind: v.string(), p95Ms: v.number(), answers: v.number() })),
    limitMs: v.number(),
  }),
  v.object({ type: v.literal('test'), time: v.number() }),
]);

export type FaultContent = Readonly<v.InferOutput<typeof faultSchema>>;
export type BuildChange = Readonly<v.InferOutput<typeof buildSchema>>;
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

export const nothingSummed: Summed = { new: 0, regressed: 0, woke: 0, volume: 0, first: [] };

/** As many as a person takes in beside the number of all. */
export const namedMost = 3;

function cut(text: string, longest: number): string {
  const line = escapeText(text.replace(/\s+/g, ' ').trim());
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** Makes each text one line, without characters that a terminal or a header acts on, and not longer than anybody reads. */
export function boundFault(fault: FaultContent): FaultContent {
  return {
    ...fault,
    appName: cut(fault.appName, longestText.appName),
    name: cut(fault.name, longestText.name),
    message: cut(fault.message, longestText.message),
    culprit: cut(fault.culprit, longestText.culprit),
    level: cut(fault.level, longestText.level),
    environment: cut(fault.environment, longestText.environment),
    page: boundPlace(fault.page),
    release: cut(fault.release, longestText.release),
    digest: fault.digest === null ? null : cut(fault.digest, longestText.digest),
  };
}

/** A name on one line, as `boundFault` makes those of faults. */
export function boundAppName(name: string): string {
  return cut(name, longestText.appName);
}

/** The same for a place in a page, of which an app has the names. */
export function boundPlace(text: string): string {
  return cut(text, longestText.culprit);
}

/** The name of a build, or of a route. */
export function boundBuild(name: string): string {
  return cut(name, longestText.release);
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
