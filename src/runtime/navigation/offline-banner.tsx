'use client';

import './offline-banner.css';

import { useSyncExternalStore } from 'react';

import { readConnection, retryNow, stopWaiting } from './offline.ts';
import { subscribeToNavigation } from './state-changes.ts';

const messages = {
  device: 'You are offline. The page will load when you are back.',
  server: 'The server cannot be reached. The page will load when it answers again.',
} as const;

/**
 * The status element is there from the start: screen readers announce changes inside a live region, not a new region.
 */
export function OfflineBanner() {
  const connection = useSyncExternalStore(subscribeToNavigation, readConnection, readConnection);
  return (
    <output>
      {connection.status === 'waiting' ? (
        <span className="flight-offline">
          <span>{messages[connection.missing]}</span>
          <button type="button" onClick={retryNow}>
            Try again
          </button>
          <button type="button" onClick={stopWaiting}>
            Cancel
          </button>
        </span>
      ) : null}
    </output>
  );
}
