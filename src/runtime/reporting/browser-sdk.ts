import {
  breadcrumbsIntegration,
  captureReactException,
  consoleIntegration,
  getCurrentScope,
  getIsolationScope,
  httpContextIntegration,
  init,
  linkedErrorsIntegration,
  withScope,
  type Breadcrumb,
} from '@sentry/react';

import { runtimeSettings } from '../settings.ts';
import type { BrowserError, Sdk } from './browser-reporting.ts';
import { readTraceId } from './browser-trace.ts';
import { dataCollection } from './data-collection.ts';
import { localDsn, tunnelPath } from './local-dsn.ts';

/** Query values may be anything a visitor typed: a breadcrumb keeps the path and the names of its parameters. */
function dropQueryValues(url: string): string {
  const query = url.indexOf('?');
  if (query === -1) return url;
  const names = [...new URLSearchParams(url.slice(query + 1).split('#', 1)[0]).keys()];
  return `${url.slice(0, query)}?${names.join('&')}`;
}

function scrubBreadcrumb(breadcrumb: Breadcrumb): Breadcrumb {
  const data: Record<string, unknown> = { ...breadcrumb.data };
  for (const key of ['url', 'from', 'to']) {
    const value = data[key];
    if (typeof value === 'string') data[key] = dropQueryValues(value);
  }
  return { ...breadcrumb, data };
}

/** Starts the SDK on the tunnel of the page's own origin. */
export function startBrowserSdk(): Sdk {
  const release = import.meta.env.WAKU_BUILD_ID;
  init({
    dsn: localDsn,
    tunnel: tunnelPath,
    environment: import.meta.env.MODE,
    ...(release ? { release } : {}),
    dataCollection,
    maxBreadcrumbs: runtimeSettings.breadcrumbsKept,
    defaultIntegrations: [
      breadcrumbsIntegration({ sentry: false }),
      consoleIntegration(),
      httpContextIntegration(),
      linkedErrorsIntegration(),
    ],
    beforeBreadcrumb: scrubBreadcrumb,
  });
  getCurrentScope().setPropagationContext({ traceId: readTraceId(), sampleRand: Math.random() });
  return { capture, countBreadcrumbs };
}

function countBreadcrumbs(): number {
  return getIsolationScope().getScopeData().breadcrumbs.length;
}

function capture({ error, identity: { side, digest }, time, mechanism, componentStack }: BrowserError): void {
  withScope((scope) => {
    scope.setTags({ digest, side, mechanism });
    if (componentStack) scope.setContext('react', { componentStack });
    scope.addEventProcessor((event) => ({ ...event, timestamp: time / 1000 }));
    captureReactException(
      error,
      { componentStack: componentStack ?? null },
      { mechanism: { handled: mechanism === 'caught' || mechanism === 'recoverable', type: mechanism } },
    );
  });
}
