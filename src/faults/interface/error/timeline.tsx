import { formatClock, formatOffset } from '#src/ui/format-time.ts';
import { Time } from '#src/ui/browser-time.tsx';
import { Panel } from '#viewer/panel.tsx';
import { listFlightsAround, type RequestTraits } from '#src/flights/for-operator/flights-around.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { listMoments, type TimelineMoment } from './list-moments.ts';

function Data({ data }: { data: TimelineMoment['data'] }) {
  const entries = Object.entries(data);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary className="text-[0.8125rem] text-quiet">Details</summary>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 pt-1 pl-4 text-[0.8125rem]">
        {entries.map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-quiet">{name}</dt>
            <dd className="code">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Line({ moment, origin }: { moment: TimelineMoment; origin: number }) {
  return (
    <li className="timeline-moment" data-kind={moment.kind}>
      <span className="timeline-time">
        {moment.isUntimed ? (
          <span title="No time was sent for this line. It stands in its place.">no time</span>
        ) : (
          <Time time={moment.time}>
            {moment.time === origin ? formatClock(moment.time) : formatOffset(moment.time - origin)}
          </Time>
        )}
      </span>
      <span className="timeline-side">{moment.side}</span>
      <div className="timeline-text">
        <p className={moment.isError ? 'font-semibold text-error' : ''}>
          {moment.isError ? null : <span className="text-(--kind)">{moment.category}</span>}{' '}
          {moment.href === undefined ? (
            moment.message
          ) : (
            <Link to={moment.href} prefetch="intent">
              {moment.message}
            </Link>
          )}
        </p>
        <Data data={moment.data} />
      </div>
    </li>
  );
}

/** What an error says of its request. A browser's error names the trace alone. */
function findTraits({ app, server, browser: [report] }: ErrorDetails): RequestTraits | undefined {
  if (server) return { app, requestId: server.requestId, traceId: server.traceId, time: server.time };
  return report && { app, requestId: '', traceId: report.traceId ?? '', time: report.time };
}

/** What the browser and the server did before, at and after the error, and which flights were sent, in the order of time. */
export async function Timeline({ error }: { error: ErrorDetails }) {
  const traits = findTraits(error);
  const moments = listMoments(error, traits ? await listFlightsAround(traits) : []);
  const origin = moments.find((moment) => moment.isError)?.time ?? moments[0]?.time ?? 0;
  return (
    <Panel title="Timeline">
      <ol className="timeline">
        {moments.map((moment, index) => (
          <Line key={index} moment={moment} origin={origin} />
        ))}
      </ol>
      {error.browser.length > 0 && error.server ? (
        <p className="text-sm text-quiet">
          The browser’s times are by its own clock. A difference of more than ten seconds was corrected, a smaller one
          was not.
        </p>
      ) : null}
    </Panel>
  );
}
