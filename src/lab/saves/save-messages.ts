import type { Caught } from './find-caught.ts';

/** What the dev server tells the page of an experiment after a save; and what the page has of the saves when it comes. */
export type SaveMessage = {
  readonly experiment: string;
  /** The good ones, the oldest first. */
  readonly saves: readonly ShownSave[];
  readonly state: SaveState;
};

export type ShownSave = {
  /** Its first flight. */
  readonly flight: number;
  /** When it was measured, in milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
  readonly gzip: number;
  /** Bytes of the recorded flight that are not counted. */
  readonly leftOut: number;
  /** Errors that a boundary of the experiment's own caught. */
  readonly caught: Caught | undefined;
  /** Against the one before, which `before` is the flight of; undefined of the first. */
  readonly change: string | undefined;
  readonly before: number | undefined;
};

/** What became of the last save. */
export type SaveState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'measured'; readonly times: 'compared' | 'too-slow' | 'none' }
  /** `isKept`: the page still shows the last good one, if there is one. Otherwise it says itself what is wrong. */
  | { readonly kind: 'broken'; readonly problem: SaveProblem; readonly isKept: boolean }
  | { readonly kind: 'not-measured'; readonly reason: string };

export type SaveProblem = {
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
};

/** From the dev server to the pages, with `SaveMessage`. */
export const savedEvent = 'flight-recorder:saved';
/** From a page to the dev server, with the name of the experiment that it shows. */
export const shownEvent = 'flight-recorder:experiment-shown';
/** From the list of experiments to the dev server: from now on, and no longer, it is told of every save. */
export const listShownEvent = 'flight-recorder:lab-list-shown';
export const listLeftEvent = 'flight-recorder:lab-list-left';

/** Saves that a page shows. */
export const savesShown = 20;
