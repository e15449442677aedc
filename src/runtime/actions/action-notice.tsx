'use client';

import { useSyncExternalStore } from 'react';

import './action-notice.css';

import type { Refusal } from './action-errors.ts';
import { latestRefusal, showRefusal, subscribeLatestRefusal } from './latest-refusal.ts';
import { refusals } from '#src/server/http/refusals.ts';

function describe(refusal: Refusal): string {
  switch (refusal.code) {
    case 'unreachable':
      return `${navigator.onLine ? 'The server could not be reached' : 'You are offline'}. It is not known whether the server got what you sent.`;
    case 'unexpected':
      return `The server is not answering as it should (status ${refusal.status}).`;
    default:
      return refusals[refusal.code];
  }
}

/** A navigation, not `location.reload()`: a page that answers a form's POST would be sent again by that one. */
function openPageAnew(): void {
  window.location.replace(window.location.pathname + window.location.search);
}

/** The way out of a refusal, beside dismissing it. */
function Remedy({ refusal }: { refusal: Refusal }) {
  switch (refusal.code) {
    case 'unknown-action':
      return (
        <button type="button" onClick={openPageAnew}>
          Reload
        </button>
      );
    case 'not-signed-in':
      // The page itself, which sends a stranger to the login page and back; in another tab, so that nothing typed is lost.
      return (
        <a href={window.location.pathname + window.location.search} target="_blank" rel="noopener">
          Sign in in a new tab
        </a>
      );
    default:
      return null;
  }
}

/**
 * Tells why an action was not carried out, beside the page and not in its place: whatever the visitor typed stays where
 * it is.
 */
export function ActionNotice() {
  const refusal = useSyncExternalStore(subscribeLatestRefusal, latestRefusal, () => undefined);
  if (!refusal) return null;
  return (
    <div className="flight-action-notice" role="alert" data-refusal={refusal.code}>
      <p>{describe(refusal)} What you typed is still here.</p>
      <p>
        <Remedy refusal={refusal} />
        <button type="button" onClick={() => showRefusal(undefined)}>
          Dismiss
        </button>
      </p>
    </div>
  );
}
