'use client';

import { useEffect } from 'react';

import type { Cause } from './describe-cause.ts';
import { changedEvent } from './dev-events.ts';

const block = {
  margin: '0.6rem 0 0',
  maxHeight: '24rem',
  overflow: 'auto',
  fontSize: '0.8125rem',
  whiteSpace: 'pre',
} as const;

/**
 * Development's part of the error panel: the cause, and a retry at each change of a file. Its styles stand here and not
 * in the panel's style sheet, because production sends that one.
 */
export function DevCause({ cause, onRetry }: { readonly cause: Cause; readonly onRetry: (() => void) | undefined }) {
  const { title, place, frame, stack } = cause;
  useEffect(() => {
    const retry = onRetry ?? (() => window.location.reload());
    import.meta.hot?.on(changedEvent, retry);
    return () => import.meta.hot?.off(changedEvent, retry);
  }, [onRetry]);
  return (
    <div data-flight-cause>
      <pre style={block}>{place ? `${title}\n${place.file}:${place.line}:${place.column}` : title}</pre>
      {frame ? <pre style={block}>{frame}</pre> : null}
      {stack ? <pre style={block}>{stack}</pre> : null}
    </div>
  );
}
