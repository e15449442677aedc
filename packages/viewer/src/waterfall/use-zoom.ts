import { useEffect, useState, type RefObject } from 'react';

import { panRange, selectRange, zoomRange, type ZoomRange } from './zoom-range.ts';

/** The factor of one click or key. One step of a mouse wheel is 100 pixels in most browsers, and zooms as much. */
const factor = 1.6;

/** A part that is shown has a tenth of the picture before it and after it. */
const around = 1.25;

export type Zoom = {
  readonly range: ZoomRange;
  readonly isWhole: boolean;
  readonly set: (range: ZoomRange) => void;
  /** Shows this part with a little around it. */
  readonly show: (part: ZoomRange) => void;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly reset: () => void;
  /** Moves by a share of what is shown; negative is to the left. */
  readonly pan: (share: number) => void;
};

/**
 * The part of the axis that is shown. Over `picture` the wheel zooms with Ctrl or ⌘ (a trackpad's pinch arrives as that),
 * and moves sideways with Shift. Without a key it scrolls the list, as everywhere.
 */
export function useZoom(
  end: number,
  picture: RefObject<HTMLElement | null>,
  /** From the left end of the axis to its right end. */
  track: RefObject<HTMLElement | null>,
): Zoom {
  const [range, set] = useState<ZoomRange>({ from: 0, to: end });

  useEffect(() => {
    const element = picture.current;
    if (!element) return undefined;
    const turn = (event: WheelEvent) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (!isZoom && Math.abs(sideways) < 1) return;
      event.preventDefault();
      const box = (track.current ?? element).getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      set((before) =>
        isZoom
          ? zoomRange(before, end, factor ** (-event.deltaY / 100), share)
          : panRange(before, end, sideways / box.width),
      );
    };
    // React's own wheel listeners are passive: they cannot stop the page from zooming.
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [end, picture, track]);

  return {
    range,
    isWhole: range.from === 0 && range.to === end,
    set,
    show: ({ from, to }) => set(zoomRange(selectRange(from, to, end), end, 1 / around)),
    zoomIn: () => set((before) => zoomRange(before, end, factor)),
    zoomOut: () => set((before) => zoomRange(before, end, 1 / factor)),
    reset: () => set({ from: 0, to: end }),
    pan: (share) => set((before) => panRange(before, end, share)),
  };
}
