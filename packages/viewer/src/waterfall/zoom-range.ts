/** The part of the axis that is shown, in milliseconds or bytes. */
export type ZoomRange = { readonly from: number; readonly to: number };

/** The limit of zooming in: a thousandth of a millisecond is finer than every clock, and a byte cannot be split. */
const smallestShare = 1 / 10_000;

function keepInside(from: number, length: number, end: number): ZoomRange {
  const kept = Math.max(end * smallestShare, Math.min(length, end));
  const start = Math.max(0, Math.min(from, end - kept));
  return { from: start, to: start + kept };
}

/** Zooms by `factor` (2 shows half as much). The place at `share` of the view, 0 to 1, stays where it is. */
export function zoomRange({ from, to }: ZoomRange, end: number, factor: number, share = 0.5): ZoomRange {
  const place = from + (to - from) * share;
  const length = (to - from) / factor;
  return keepInside(place - length * share, length, end);
}

/** Moves by a share of what is shown, and stops at the ends. */
export function panRange({ from, to }: ZoomRange, end: number, share: number): ZoomRange {
  return keepInside(from + (to - from) * share, to - from, end);
}

/** The range between two places, in either order; the whole axis when both places are the same. */
export function selectRange(one: number, other: number, end: number): ZoomRange {
  return keepInside(Math.min(one, other), Math.abs(other - one), end);
}

/** About `wanted` round places on the axis. */
export function readTicks({ from, to }: ZoomRange, wanted = 5): number[] {
  const rough = (to - from) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.7) ?? power;
  const ticks: number[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index++) ticks.push(index * step);
  return ticks;
}
