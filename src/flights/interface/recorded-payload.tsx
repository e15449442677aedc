import { EmptyState } from '#viewer/empty-state.tsx';
import type { Flight, ServerTime } from '#flight';
import type { RecordedFlight } from '../flight/flight-record.ts';

import { describePayload } from './describe-payload.ts';
import { OpenFlight } from './open-flight.tsx';
import { PlainRows } from './plain-rows.tsx';

function whyEmpty({ content, kind, status, outcome }: RecordedFlight): string {
  if (outcome === 'left') return 'The visitor left before any of it came.';
  if (content === 'html') return 'The document carries no Flight rows.';
  if (status >= 500) return 'It failed, and its answer has no Flight rows.';
  return kind === 'action'
    ? 'The action answered without a payload: with a redirect, or with a refusal.'
    : 'The answer has no Flight rows.';
}

type RecordedPayloadProps = {
  readonly recorded: RecordedFlight;
  readonly moduleFiles: Flight['moduleFiles'];
  readonly serverTime?: ServerTime | undefined;
  /** Decoded for who has no JavaScript. */
  readonly plain: Flight | undefined;
};

/** The payload: the viewer, or the first rows when there is no JavaScript. */
export function RecordedPayload({ recorded, moduleFiles, serverTime, plain }: RecordedPayloadProps) {
  const empty = (
    <EmptyState title="There is no payload">
      <p>{whyEmpty(recorded)}</p>
    </EmptyState>
  );
  if (recorded.body.length === 0 || recorded.content === 'none') return empty;
  return (
    <>
      <OpenFlight key={recorded.id} {...describePayload(recorded, moduleFiles, serverTime)} empty={empty} />
      {plain ? (
        <noscript>
          <div className="stack-2">
            <p className="text-sm">
              These are its rows, from the first on. The pictures of when each came, what it refers to and what it costs
              need JavaScript.
            </p>
            <PlainRows flight={plain} />
          </div>
        </noscript>
      ) : null}
    </>
  );
}
