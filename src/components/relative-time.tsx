'use client';

import { useEffect, useState } from 'react';

import { formatAge } from './format-time.ts';

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
