import { useEffect, useRef, useState, type RefObject } from 'react';

/** How long the page may still move what is above the row (findings are counted, fonts come), and the row is lit. */
const settleMs = 1600;

const gestures = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Brings a row that a link leads to into view, with as much of its detail as fits, and keeps it there while the page still
 * changes above it, until the person does anything. A row that is chosen in the list itself does not move the page.
 * @param linked the row that a link leads to; undefined for one that was chosen in the list
 * @param readRow the row's element, once it is drawn
 * @returns the row to light
 */
export function useLinkedRow(
  linked: number | undefined,
  readRow: (row: number) => HTMLElement | null,
  detail: RefObject<HTMLElement | null>,
): number | undefined {
  const [lit, setLit] = useState<number>();
  const read = useRef(readRow);
  useEffect(() => {
    read.current = readRow;
  });

  useEffect(() => {
    if (linked === undefined) return undefined;
    function show() {
      if (linked === undefined) return;
      detail.current?.scrollIntoView({ block: 'nearest' });
      read.current(linked)?.scrollIntoView({ block: 'nearest' });
    }
    const frame = requestAnimationFrame(() => {
      show();
      setLit(linked);
    });
    const observer = new ResizeObserver(show);
    observer.observe(document.body);
    function leave() {
      observer.disconnect();
      for (const gesture of gestures) document.removeEventListener(gesture, leave, true);
    }
    for (const gesture of gestures) document.addEventListener(gesture, leave, { capture: true, passive: true });
    const timer = setTimeout(() => {
      leave();
      setLit(undefined);
    }, settleMs);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      leave();
    };
  }, [linked, detail]);

  return lit;
}
