'use client';

import { useEffect, type ComponentType, type ReactNode } from 'react';

import { readControl } from '#src/runtime/control-errors.ts';
import { formatDigest } from '#report/digest.ts';
import { PageBoundary, type Failure } from '#src/runtime/errors/page-boundary.tsx';

import { loadLate } from '../browser/late.ts';
import { PlainFailure } from '../browser/plain-failure.tsx';
import { toShownFailure } from '../browser/shown-failure.ts';
import { useLate } from '../browser/use-late.ts';

/** What an error page of the app is given. */
export type ErrorPageProps = {
  /**
   * As people read it out: `01234-56789`. Whoever runs the app finds the cause under it. Undefined for an error of the browser where
   * browsers report nothing.
   */
  readonly digest: string | undefined;
  /** Which side failed, and has the cause: the server's log, or the browser's console. */
  readonly side: 'server' | 'browser';
  /** Fetches the page again and shows it. */
  readonly retry: () => void;
  readonly isRetrying: boolean;
};

function Panel({ identity, isRetrying, retry }: Failure) {
  const late = useLate();
  useEffect(() => void loadLate(), []);
  const shown = toShownFailure(identity);
  if (!late) return <PlainFailure digest={shown.digest} />;
  return <late.ErrorPanel {...shown} isRetrying={isRetrying} onRetry={retry} />;
}

type Props = {
  readonly children: ReactNode;
  readonly errorPage?: ComponentType<ErrorPageProps> | undefined;
};

/** Shows a failed page's digest inside the app's layout. Redirects and not-founds are Waku's, which stands outside. */
export function FlightRecorderPageBoundary({ children, errorPage: ErrorPage }: Props) {
  function show(failure: Failure) {
    const { error, identity, retry, isRetrying } = failure;
    if (readControl(error)) throw error;
    const { digest, side } = toShownFailure(identity);
    if (!ErrorPage) return <Panel key={identity.digest} {...failure} />;
    return <ErrorPage digest={digest && formatDigest(digest)} side={side} retry={retry} isRetrying={isRetrying} />;
  }
  return <PageBoundary show={show}>{children}</PageBoundary>;
}
