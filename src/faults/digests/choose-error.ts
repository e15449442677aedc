import 'server-only';

import type { Kysely } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import type { PastDigest } from './find-past.ts';
import { placeErrors, type Placed } from './place-errors.ts';
import { type Asked, type AskedTime, toPath } from './asked-time.ts';
import { isUnder, selectEvents } from '../kept/select-events.ts';

/**
 * Which of the errors under one digest somebody means, who knows about when it was and perhaps on which page. Digests of Next are
 * made from message and stack, so a thousand visitors have the same. What was said is as exact as it was written: a minute stands
 * for all of it, and, since people round, for half of the one before. Whoever is alone in that time, on that page, is the one; else
 * the nearest is shown as a guess, with the others.
 */
type Candidate = { readonly id: string; readonly time: number; readonly path: string };

export type Choice = {
  /** `only`: no other fits, kept or deleted. `one-of`: several do. `nearest`: none does. */
  readonly type: 'only' | 'one-of' | 'nearest';
  readonly asked: Asked;
  /** Whether one of that page is near. True where no page was named. */
  readonly isPathFound: boolean;
  /** Whether of all those near that time the page is known: of errors of an app's output only flights tell it. */
  readonly isPathKnown: boolean;
  /** Errors under this digest that may be of that time were deleted: so the one that is meant may be none of those that are kept. */
  readonly isPastNear: boolean;
  /** How many fit; `isCut`: at least. */
  readonly count: number;
  readonly isCut: boolean;
  /** Those that fit, the nearest first; of `nearest` those around that time. */
  readonly candidates: readonly Candidate[];
};

/** Of one digest, on each side of a time: an index has them in order, and each is a look at its row. Some 5 ms. */
const rowsRead = 1_000;
/** As many as a person looks through, or a program asks for one by one. */
const candidatesListed = 50;
/** Where one of that page is so near, it goes before those of other pages. */
const nearMs = 10 * 60_000;

type Row = Placed<Candidate & { readonly route: string }>;

async function listAround(db: Kysely<Tables>, app: string, digest: string, time: number): Promise<readonly Row[]> {
  const rows = selectEvents(db, 'server')
    .select(['id', 'time', 'path', 'route'])
    .where(isUnder(digest, app))
    .limit(rowsRead);
  const before = await rows.where('time', '<', time).orderBy('time', 'desc').execute();
  const after = await rows.where('time', '>=', time).orderBy('time').execute();
  return placeErrors([...before, ...after], app, digest);
}

function isOnPath({ path, route }: Pick<Row, 'path' | 'route'>, asked: string): boolean {
  return toPath(path) === asked || (route !== '' && toPath(route) === asked);
}

/** A time that was rounded may be half a step before what it stands for. */
function isWithin({ time }: Row, { time: from, stepMs }: AskedTime): boolean {
  return time >= from - stepMs / 2 && time < from + stepMs;
}

function isAnyWithin(past: readonly PastDigest[], at: AskedTime | undefined): boolean {
  if (at === undefined) return past.length > 0;
  // Of those only the second is known.
  return past.some(
    ({ firstTime, lastTime }) => firstTime < at.time + at.stepMs && lastTime + 1_000 > at.time - at.stepMs / 2,
  );
}

/** Whether it may have been on that page: nothing says where it was, or what does names several pages. */
function mayBeOnPath({ path, perhaps }: Row, asked: string): boolean {
  return path === '' && (perhaps.length === 0 || perhaps.some((place) => isOnPath(place, asked)));
}

/** Keeps the errors of the page that was named, where some of them may be meant; else those of which no page is known. */
type Picked = { readonly rows: readonly Row[] } & Pick<Choice, 'isPathFound' | 'isPathKnown'>;

function pickPath(rows: readonly Row[], { at, path }: Asked): Picked {
  if (path === undefined) return { rows, isPathFound: true, isPathKnown: true };
  const near = at === undefined ? rows : rows.filter(({ time }) => Math.abs(time - at.time) <= nearMs + at.stepMs);
  const onPath = near.filter((row) => isOnPath(row, path));
  const unknown = near.filter((row) => mayBeOnPath(row, path));
  const isPathKnown = unknown.length === 0;
  if (onPath.length > 0) return { rows: onPath, isPathFound: true, isPathKnown };
  return { rows: isPathKnown ? rows : unknown, isPathFound: false, isPathKnown };
}

function toCandidates(rows: readonly Row[]): Candidate[] {
  return rows.slice(0, candidatesListed).map(({ id, time, path }) => ({ id, time, path }));
}

/** @returns undefined where nothing was asked, or no error under this digest is kept */
export async function chooseError(
  db: Kysely<Tables>,
  { app, digest }: { readonly app: string; readonly digest: string },
  asked: Asked,
  past: readonly PastDigest[],
): Promise<Choice | undefined> {
  const { at } = asked;
  if (at === undefined && asked.path === undefined) return undefined;
  const time = at?.time ?? Number.MAX_SAFE_INTEGER;
  const all = await listAround(db, app, digest, time);
  if (all.length === 0) return undefined;
  const { rows, isPathFound, isPathKnown } = pickPath(all, asked);
  const nearest = rows.toSorted((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time) || (a.id < b.id ? -1 : 1));
  // Of which the page is not known, any may be meant.
  const mayFit = isPathFound || !isPathKnown;
  const fitting = at === undefined ? (mayFit ? nearest : []) : nearest.filter((row) => isWithin(row, at));
  const isCut = all.length >= rowsRead && (at === undefined || fitting.length >= rowsRead);
  const shared = { asked, isPathFound, isPathKnown, isCut, isPastNear: isAnyWithin(past, at) };
  if (fitting.length === 0) return { ...shared, type: 'nearest', count: 0, candidates: toCandidates(nearest) };
  const isOnly = fitting.length === 1 && isPathFound && isPathKnown && !isCut && !shared.isPastNear;
  return { ...shared, type: isOnly ? 'only' : 'one-of', count: fitting.length, candidates: toCandidates(fitting) };
}
