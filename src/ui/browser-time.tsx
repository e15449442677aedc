'use client';

import { useEffect, useState, type ReactNode } from 'react';

import { useHydrated } from '#viewer/use-hydrated.ts';

import { formatAge, formatClock, formatLocal, formatUtc } from './format-time.ts';

/** What the browser alone knows of a time. One file: each file of the browser costs a line in what every page loads first. */

const refreshMs = 30_000;

/**
 * "3 min ago", kept up to date while the page stays open. It begins with the server's `now`, so hydration renders the
 * same text whatever the browser's clock says. Later it only adds the time that has passed in the browser.
 */
export function RelativeTime({ time, now }: { time: number; now: number }) {
  const [passed, setPassed] = useState(0);

  useEffect(() => {
    const start = performance.now();
    const timer = setInterval(() => setPassed(performance.now() - start), refreshMs);
    return () => clearInterval(timer);
  }, []);

  return formatAge(time, now + passed);
}

/**
 * The time where the reader is, beside one in UTC. The server does not know it: until the browser says it, its room is kept, so
 * that nothing moves.
 */
export function LocalTime({ time }: { time: number }) {
  const isKnown = useHydrated();
  const local = isKnown ? formatLocal(time) : undefined;
  return isKnown && local === undefined ? null : <span className="local-time">{local}</span>;
}

/** A moment whose title says when it was: in UTC, and in the browser also where the reader is. */
export function Time({ time, children }: { time: number; children: ReactNode }) {
  const local = useHydrated() ? formatLocal(time) : undefined;
  const utc = `${formatUtc(time).slice(0, 10)} ${formatClock(time)} UTC`;
  return (
    <time dateTime={new Date(time).toISOString()} title={local === undefined ? utc : `${utc}\n${local}`}>
      {children}
    </time>
  );
}
