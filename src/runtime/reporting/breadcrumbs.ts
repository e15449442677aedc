import 'server-only';

import { currentRequest, type RequestBreadcrumb } from '../request-context.ts';
import { runtimeSettings } from '../settings.ts';

/** Notes what happened in the request being served, for the report of an error that may follow. The newest are kept. */
export function addBreadcrumb(breadcrumb: Omit<RequestBreadcrumb, 'time'>): void {
  const breadcrumbs = currentRequest()?.breadcrumbs;
  if (!breadcrumbs) return;
  breadcrumbs.push({ time: Date.now(), ...breadcrumb });
  if (breadcrumbs.length > runtimeSettings.breadcrumbsKept) breadcrumbs.shift();
}
