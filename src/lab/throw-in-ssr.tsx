'use client';

/** The same component on both sides: only the server, where there is no document, fails. */
export function ThrowInSsr() {
  if (typeof document === 'undefined') throw new Error('canary-in-ssr: thrown on purpose in server rendering');
  return <p>The server could not render this part. The browser did.</p>;
}
