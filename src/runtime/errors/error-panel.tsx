'use client';

import { useEffect, useRef } from 'react';

import './error-panel.css';

import { formatDigest } from './digest.ts';

type Props = {
  readonly side: 'server' | 'browser';
  readonly digest: string | undefined;
  /** Absent in the server's own HTML, where a link to the same address does it. */
  readonly onRetry?: () => void;
};

/** What a visitor sees instead of a page that failed: which side failed, where to look, and the digest to pass on. */
export function ErrorPanel({ side, digest, onRetry }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The page that had the focus is gone; without this a keyboard or screen reader user is left at the document's start.
  useEffect(() => heading.current?.focus(), []);
  return (
    <main className="flight-error" role="alert" data-flight-digest={digest}>
      <h1 ref={heading} tabIndex={-1}>
        Something went wrong
      </h1>
      <p>
        A {side === 'server' ? 'server' : 'client'}-side error has occurred. See the{' '}
        {side === 'server' ? 'server log' : 'browser console'}.
      </p>
      {digest ? (
        <p>
          Digest: <code>{formatDigest(digest)}</code>
        </p>
      ) : null}
      {onRetry ? (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      ) : (
        <a href="">Try again</a>
      )}
    </main>
  );
}
