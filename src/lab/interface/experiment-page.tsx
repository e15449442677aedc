import type { ReactNode } from 'react';

import { currentRequest } from '#src/server/http/request-context.ts';
import { experimentPath } from '#src/server/http/addresses.ts';
import { RequestFlights } from '#src/flights/interface/request-flights.tsx';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { keepsSuccess } from '#src/apps/policy.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { ExperimentHead, type ExperimentTexts } from './experiment-head.tsx';
import { SentFlight } from './sent-flight.tsx';

/** Whether the request that renders this will have a flight which its reader may see. */
function willBeRecorded(): boolean {
  const request = currentRequest();
  const state = readRecordingState();
  return Boolean(request?.operator && state && keepsSuccess(state.policy, request.traceId));
}

type ExperimentPageProps = ExperimentTexts & {
  /** In development: what the last saves did. */
  readonly saves?: ReactNode;
  readonly children: ReactNode;
};

/**
 * The frame of an experiment: what happens, what to look for, and the experiment. It is a part of the flight that people came to
 * look at, so it is small and always the same: sources and flight come by requests of their own.
 */
export function ExperimentPage({ children, saves, ...texts }: ExperimentPageProps) {
  const request = currentRequest();
  return (
    <div className="stack-6">
      <ExperimentHead
        {...texts}
        link={
          <Link to={experimentPath('about', texts.name)} prefetch="never">
            Its source, payload and result, row by row
          </Link>
        }
      />
      {saves}
      <div className="panel stack-3 px-4 py-4 sm:px-5 [&_form]:flex [&_form]:flex-wrap [&_form]:items-center [&_form]:gap-x-3 [&_form]:gap-y-2 [&_form>p]:basis-full [&_label]:max-w-full [&>h2]:pt-5">
        {children}
      </div>
      <div className="stack-2">
        <RequestFlights />
        {request === undefined || willBeRecorded() ? <SentFlight name={texts.name} request={request?.id} /> : null}
      </div>
    </div>
  );
}
