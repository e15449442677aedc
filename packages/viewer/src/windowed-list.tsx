import { useEffect, useLayoutEffect, useRef, useState, type HTMLAttributes, type ReactNode } from 'react';
import { flushSync } from 'react-dom';

import { readWindowRange, scrollToLine } from './window-range.ts';

type WindowedListProps = {
  readonly count: number;
  readonly lineHeight: number;
  /** Draws one line, `lineHeight` high. */
  readonly children: (line: number) => ReactNode;
  /** The line to keep in view. The list scrolls to it whenever it changes. */
  readonly current: number | undefined;
  readonly className: string;
  /** Attributes of the scrolling element: a role, a label, keys. */
  readonly attributes: HTMLAttributes<HTMLDivElement>;
};

/** A scrolling list that draws only the visible lines: see window-range.ts. */
export function WindowedList({ count, lineHeight, children, current, className, attributes }: WindowedListProps) {
  const element = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewHeight, setViewHeight] = useState(0);
  const size = { count, lineHeight, viewHeight };
  const { from, to, offset, height } = readWindowRange(size, scrollTop);

  useLayoutEffect(() => {
    const view = element.current;
    if (!view) return undefined;
    const observer = new ResizeObserver(() => setViewHeight(view.clientHeight));
    observer.observe(view);
    setViewHeight(view.clientHeight);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const view = element.current;
    if (!view || current === undefined || viewHeight === 0) return;
    view.scrollTop = scrollToLine({ count, lineHeight, viewHeight }, view.scrollTop, current);
  }, [current, count, lineHeight, viewHeight]);

  const lines: ReactNode[] = [];
  for (let line = from; line < to; line++) lines.push(children(line));
  return (
    <div
      {...attributes}
      ref={element}
      className={`flight-scroller ${className}`}
      // Not taller than its lines; the class sets the maximum.
      style={{ height: `min(${Math.max(count, 1) * lineHeight}px, var(--tallest))` }}
      // Drawn in the same frame as the scroll: otherwise fast scrolling shows nothing for a moment.
      onScroll={(event) => {
        const { scrollTop: top } = event.currentTarget;
        flushSync(() => setScrollTop(top));
      }}
    >
      <div role="presentation" style={{ height, position: 'relative' }}>
        <div role="presentation" style={{ transform: `translateY(${offset}px)`, position: 'absolute', insetInline: 0 }}>
          {lines}
        </div>
      </div>
    </div>
  );
}
