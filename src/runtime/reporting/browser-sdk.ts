import {
  captureReactException,
  createTransport,
  getCurrentScope,
  httpContextIntegration,
  init,
  linkedErrorsIntegration,
  withScope,
  type Event,
} from '@sentry/react';

import type { BrowserError } from '#report/browser/browser-error.ts';
import { deliver, startDelivery } from '#report/browser/deliver-reports.ts';
import { tunnelPath } from '#src/server/http/addresses.ts';

import { readTraceId } from './browser-trace.ts';
import { dataCollection } from './data-collection.ts';
import { localDsn } from './local-dsn.ts';

export type Sdk = { readonly capture: (error: BrowserError) => void };

/** Starts the SDK with the tunnel on the page's own origin. */
export function startBrowserSdk(): Sdk {
  const release = import.meta.env.WAKU_BUILD_ID;
  init({
    dsn: localDsn,
    tunnel: tunnelPath,
    environment: import.meta.env.MODE,
    ...(release ? { release } : {}),
    dataCollection,
    // Without the SDK's own breadcrumbs: ours began before it was loaded.
    defaultIntegrations: [httpContextIntegration(), linkedErrorsIntegration()],
    // The SDK's own transport sends a report once and then forgets it.
    transport: (options) =>
      createTransport(options, async ({ body }) => {
        deliver(typeof body === 'string' ? body : new TextDecoder().decode(body));
        return {};
      }),
  });
  getCurrentScope().setPropagationContext({ traceId: readTraceId(), sampleRand: Math.random() });
  startDelivery();
  return { capture };
}

/** The error may have waited for the SDK. The event describes the moment of the error. */
function asItWas(event: Event, { time, url, breadcrumbs }: BrowserError): Event {
  return { ...event, timestamp: time / 1000, request: { ...event.request, url }, breadcrumbs: [...breadcrumbs] };
}

function capture(report: BrowserError): void {
  const { error, identity, mechanism, componentStack } = report;
  withScope((scope) => {
    scope.setTags({ digest: identity.digest, side: identity.side, mechanism });
    if (componentStack) scope.setContext('react', { componentStack });
    scope.addEventProcessor((event) => asItWas(event, report));
    captureReactException(
      error,
      { componentStack: componentStack ?? null },
      { mechanism: { handled: mechanism === 'caught' || mechanism === 'recoverable', type: mechanism } },
    );
  });
}
