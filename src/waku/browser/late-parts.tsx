import { useLayoutEffect } from 'react';
import { createPortal } from 'react-dom';
import { actions, navigation, recorder, reports } from 'virtual:flight-recorder/options';

import './notices.css';

import { ActionRuntime } from '#src/runtime/actions/action-runtime.tsx';
import { postToPageUrl } from '#src/runtime/actions/post-to-page-url.ts';

import { enhanceRequest } from '#src/runtime/navigation/enhance-request.ts';
import { NavigationRuntime } from '#src/runtime/navigation/navigation-runtime.tsx';
import { nameRequests, ReportingRuntime } from '#src/runtime/reporting/reporting-runtime.tsx';

import { toldPath } from '#src/server/http/addresses.ts';
import { watchVitals } from '#report/browser/vitals.ts';

import { noteMounted, type Enhancer } from './hold-requests.ts';

/** What is not needed before the first act, request or error: late.ts loads it. */
export { ErrorPanel } from '#src/runtime/errors/error-panel.tsx';
export { FailedDocument } from '#src/runtime/errors/late-document.tsx';

if (reports && recorder) watchVitals(toldPath, true);

/** The order in which they are registered when they are mounted. */
export const enhance: Enhancer = (next) => {
  const named = nameRequests(next);
  const posted = actions ? postToPageUrl(named) : named;
  return navigation ? enhanceRequest(posted) : posted;
};

/** Out of the app's layout: whatever places the body's children does not see it. */
const aside = { position: 'absolute' } as const;

/** Notices stand at the end of the body, over the page. Nothing is rendered where the app put `<FlightRecorder>`. */
export function LateRuntime() {
  useLayoutEffect(() => {
    noteMounted(true);
    return () => noteMounted(false);
  }, []);
  return createPortal(
    <div className="flight-inside" style={aside}>
      {navigation ? <NavigationRuntime /> : null}
      <ReportingRuntime />
      {actions ? <ActionRuntime /> : null}
    </div>,
    document.body,
  );
}
