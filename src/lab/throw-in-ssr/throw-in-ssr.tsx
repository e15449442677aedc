'use client';

/** The same component on both sides. It fails only on the server, where there is no document. */
export function ThrowInSsr() {
  if (typeof document === 'undefined') throw new Error('canary-in-ssr: thrown on purpose in server rendering');
  return <p>The server could not render this part. The browser did.</p>;
}
