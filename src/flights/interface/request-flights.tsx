import { flightOfRequestPath } from '#src/server/http/addresses.ts';
import { currentRequest, type RequestKind } from '#src/server/http/request-context.ts';
import { keepsSuccess } from '#src/apps/policy.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { ownApp } from '#src/store/own-app.ts';
import { describePolicy } from './describe-policy.ts';
import { RecordEverything } from './record-everything.tsx';

const kindWords: Readonly<Record<RequestKind, string>> = {
  document: 'the document',
  navigation: 'the navigation',
  prefetch: 'the prefetch',
  action: 'the action',
  slice: 'the slice',
  other: 'the response',
};

/**
 * Leads to what the request sent in which this is rendered, and to all that was sent since: for the operator. At build time there
 * is no request, and nobody else may see flights: then it is nothing.
 */
export function RequestFlights() {
  const request = currentRequest();
  const state = readRecordingState();
  if (!request?.operator || !state) return null;
  const { policy } = state;
  if (!keepsSuccess(policy, request.traceId)) {
    return (
      <div className="stack-1.5">
        <p className="text-quiet">Recorded here: {describePolicy(policy)}. So this page has no flight to look at.</p>
        <RecordEverything app={ownApp} until={state.allUntil} />
      </div>
    );
  }
  const { id, kind } = request;
  return (
    <p>
      What was sent:{' '}
      <Link to={flightOfRequestPath(id)} prefetch="never">
        {kindWords[kind]} that brought this page
      </Link>
      , and{' '}
      <Link to={flightOfRequestPath(id, 'visit')} prefetch="never">
        all flights of this visit
      </Link>
      , with what you do here.
    </p>
  );
}
