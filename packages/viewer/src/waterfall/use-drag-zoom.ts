import { useEffect, useRef, useState, type PointerEvent, type PointerEventHandler, type RefObject } from 'react';

import { selectRange, type ZoomRange } from './zoom-range.ts';

/** A pointer that moves less is a click: hands are not steady. */
const leastDrag = 4;

type DragZoom = {
  /** What is being chosen; undefined while nothing is. */
  readonly chosen: ZoomRange | undefined;
  readonly handlers: {
    readonly onPointerDown: PointerEventHandler;
    readonly onPointerMove: PointerEventHandler;
    readonly onPointerUp: PointerEventHandler;
    readonly onPointerCancel: PointerEventHandler;
  };
};

type DragZoomOptions = {
  /** An element from the left end of the axis to its right end. */
  readonly track: RefObject<HTMLElement | null>;
  readonly range: ZoomRange;
  readonly end: number;
  readonly onRange: (range: ZoomRange) => void;
  /** Called with the place of a click that was no drag. */
  readonly onTap: (position: number, event: PointerEvent) => void;
};

/** Dragging sideways anywhere over the axis chooses a part of it. Escape gives it up. */
export function useDragZoom({ track, range, end, onRange, onTap }: DragZoomOptions): DragZoom {
  const begun = useRef<number>(undefined);
  const [chosen, setChosen] = useState<ZoomRange>();

  function stop() {
    begun.current = undefined;
    setChosen(undefined);
  }

  useEffect(() => {
    if (!chosen) return undefined;
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      begun.current = undefined;
      setChosen(undefined);
    };
    document.addEventListener('keydown', cancel, { capture: true });
    return () => document.removeEventListener('keydown', cancel, { capture: true });
  }, [chosen]);

  /** The place on the axis; undefined beside it, unless a drag has left it. */
  function positionOf(clientX: number, mayBeBeside: boolean): number | undefined {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return undefined;
    const share = (clientX - box.left) / box.width;
    if (!mayBeBeside && (share < 0 || share > 1)) return undefined;
    return range.from + Math.max(0, Math.min(1, share)) * (range.to - range.from);
  }

  function move(event: PointerEvent) {
    if (begun.current === undefined) return;
    if (!chosen && Math.abs(event.clientX - begun.current) < leastDrag) return;
    // From now on the click at the end is this element's, and selects no row.
    event.currentTarget.setPointerCapture(event.pointerId);
    const from = positionOf(begun.current, true);
    const to = positionOf(event.clientX, true);
    if (from !== undefined && to !== undefined) setChosen(selectRange(from, to, end));
  }

  return {
    chosen,
    handlers: {
      onPointerDown: (event) => {
        const isOnAxis = positionOf(event.clientX, false) !== undefined;
        if (event.button === 0 && isOnAxis) begun.current = event.clientX;
      },
      onPointerMove: move,
      onPointerUp: (event) => {
        const position = positionOf(event.clientX, false);
        if (chosen) onRange(chosen);
        else if (begun.current !== undefined && position !== undefined) onTap(position, event);
        stop();
      },
      onPointerCancel: stop,
    },
  };
}
