'use client';

import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';

import './error-panel.css';

import { homePath } from '#src/server/http/addresses.ts';
import { appHomePath } from '#src/server/http/waku-addresses.ts';

import { importPart } from '#viewer/import-part.ts';
import { Link } from '../navigation/link.tsx';
import { readDelivery, subscribeToDeliveries } from '#report/browser/kept-reports.ts';
import type { Cause } from './describe-cause.ts';
import { DevCause } from './dev-cause.tsx';
import { formatDigest } from '#report/digest.ts';
import { describeDelivery, describeFailure, digestHint, failureTitle, type FailureSide } from './failure-text.ts';

/** A link to it loads the document again, with its query: a retry without JavaScript. */
const sameUrl = '';

export type ErrorPanelProps = {
  readonly side: FailureSide;
  /** In its stored form, without the hyphen. */
  readonly digest: string | undefined;
  /** Without it, retrying loads the document again. */
  readonly onRetry?: (() => void) | undefined;
  readonly isRetrying?: boolean;
  /** What the server knows of it; the browser asks for it. */
  readonly help?: ReactNode;
  /** Only in development. */
  readonly cause?: Cause | undefined;
};

/** A server's error is stored before its digest is seen. A browser's error may still be on its way. */
function DeliveryNote({ digest }: { digest: string }) {
  const delivery = useSyncExternalStore(
    subscribeToDeliveries,
    () => readDelivery(digest),
    () => readDelivery(digest),
  );
  return <p className="flight-error-hint">{describeDelivery(delivery)}</p>;
}

/**
 * What a visitor sees in place of a page that failed: which side failed, where the cause is written, the digest to pass
 * on, and the ways out. Plain HTML does everything except copying and going back.
 */
export function ErrorPanel({ side, digest, onRetry, isRetrying = false, help, cause }: ErrorPanelProps) {
  const [late, setLate] = useState<typeof import('./late-parts.tsx')>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The page that had the focus is gone. Without this, a user of a keyboard or screen reader would be at the document's
    // start.
    heading.current?.focus();
    void importPart(() => import('./late-parts.tsx')).then(setLate, () => undefined);
  }, []);
  return (
    // Not atomic: otherwise copying the digest would make a screen reader read everything again.
    <div className="flight-error" role="alert" aria-atomic="false" data-flight-digest={digest}>
      {/* The failed page's own title is gone. When only a part failed, the page's title comes first and stays. */}
      <title>{failureTitle}</title>
      <h1 ref={heading} className="flight-error-title" tabIndex={-1}>
        {failureTitle}
      </h1>
      <p className="flight-error-message">{describeFailure(side, digest !== undefined)}</p>
      {digest ? (
        <>
          <p className="flight-error-digest">
            <span>Digest</span> <code>{formatDigest(digest)}</code> {late && <late.CopyDigest digest={digest} />}
          </p>
          <p className="flight-error-hint">{digestHint}</p>
          {side === 'browser' ? <DeliveryNote digest={digest} /> : null}
        </>
      ) : null}
      {import.meta.env.DEV && cause ? <DevCause cause={cause} onRetry={onRetry} /> : null}
      <p className="flight-error-actions">
        {onRetry ? (
          <button type="button" className="flight-error-retry" aria-disabled={isRetrying} onClick={onRetry}>
            {isRetrying ? 'Trying again …' : 'Try again'}
          </button>
        ) : (
          <a className="flight-error-retry" href={sameUrl}>
            Try again
          </a>
        )}
        {import.meta.env.FLIGHT_INSIDE ? (
          <a href={appHomePath}>Home</a>
        ) : (
          <Link to={homePath} prefetch="never">
            Home
          </Link>
        )}
        {late && <late.BackButton />}
      </p>
      {help ?? (late && <late.LateHelp digest={digest} />)}
    </div>
  );
}
