'use client';

import './error-panel.css';

import { formatDigest } from './digest.ts';

/** What a visitor sees instead of a page that failed: which side failed, where to look, and the digest to pass on. */
export function ErrorPanel({ side, digest }: { side: 'server' | 'browser'; digest: string | undefined }) {
  return (
    <main className="flight-error" role="alert">
      <h1>Something went wrong</h1>
      <p>
        A {side}-side exception has occurred. See the {side === 'server' ? 'server log' : 'browser console'}.
      </p>
      {digest ? (
        <p>
          Digest: <code>{formatDigest(digest)}</code>
        </p>
      ) : null}
    </main>
  );
}
