import { countBefore, readHeader } from '#flight';

import { readArrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';

/**
 * The moments of a flight, one for each time at which bytes came, and how it is played: in real time or faster. A flight
 * without times has a moment for each row, at its last byte, and is played by bytes at an even pace.
 */
export type Playback = {
  readonly unit: 'ms' | 'bytes';
  /** Positions on the axis of arrival.ts, rising. The last one is the end: then everything has come. */
  readonly steps: readonly number[];
  /** Positions per millisecond of watching at speed 1. */
  readonly pace: number;
};

/** A flight without times is played in so many milliseconds. */
export const byteTourMs = 10_000;

/** What a person can follow, real time, and what shortens a wait. */
export const speeds = [0.1, 1, 4, 16] as const;

export type Speed = (typeof speeds)[number];

/** Shorter flights are over before anything is seen. */
const shortMs = 1000;

export function readPlayback(opened: OpenedFlight): Playback {
  const { unit, at, end } = readArrival(opened);
  const steps: number[] = [];
  const add = (position: number): void => {
    if (position > (steps.at(-1) ?? -1)) steps.push(position);
  };
  if (unit === 'bytes') {
    const { rows } = opened.flight;
    for (let row = 0; row < rows.count; row++) add(readHeader(rows, row).end);
    return { unit, steps, pace: end / byteTourMs };
  }
  let sum = 0;
  for (const chunk of opened.chunks) {
    sum += chunk.bytes;
    add(at(sum));
  }
  return { unit, steps, pace: 1 };
}

/** Real time, or slower for what would be over at once. */
export function chooseSpeed({ unit, steps }: Playback): Speed {
  return unit === 'ms' && (steps.at(-1) ?? 0) < shortMs ? 0.1 : 1;
}

/** The index of the last step that had come at a position; -1 before the first. `undefined` is the end. */
export function findStep(steps: readonly number[], position: number | undefined): number {
  if (position === undefined) return steps.length - 1;
  return countBefore(steps.length, (step) => (steps[step] ?? 0) <= position) - 1;
}

/** The time that the scrubber asks for with a step: the last is the end, whatever has no time included. */
export function timeOfStep(steps: readonly number[], step: number): number | undefined {
  return step >= steps.length - 1 ? undefined : steps[Math.max(step, 0)];
}

/**
 * What playing does next: the step that is due so many milliseconds of watching after position `from` was shown, and how
 * long until the one after it. `wait` is undefined when nothing more comes.
 */
export function playOn(
  { steps, pace }: Playback,
  speed: number,
  from: number,
  elapsedMs: number,
): { step: number; wait: number | undefined } {
  // A timer may be late by less than a step: what is due within half a millisecond is due.
  const step = findStep(steps, from + (elapsedMs + 0.5) * pace * speed);
  const next = steps[step + 1];
  return { step, wait: next === undefined ? undefined : Math.max(0, (next - from) / (pace * speed) - elapsedMs) };
}
