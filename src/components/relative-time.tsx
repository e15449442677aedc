'use client';

import { useEffect, useState } from 'react';

import { formatAge } from './format-time.ts';

const refreshMs = 30_000;

/**
 * "3 min ago", kept true while the page stays open. It begins with the server's `now`, which hydration therefore
 * repeats exactly, whatever the browser's clock says; later it adds only the time that passed here.
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
