import { formatClock, formatOffset } from '#src/components/format-time.ts';
import { Time } from '#src/components/browser-time.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { Incident } from '#src/reports/incident.ts';

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
        <Time time={moment.time}>
          {moment.time === origin ? formatClock(moment.time) : formatOffset(moment.time - origin)}
        </Time>
      </span>
      <span className="timeline-side">{moment.side}</span>
      <div className="timeline-text">
        <p className={moment.isError ? 'font-semibold text-error' : ''}>
          {moment.isError ? null : <span className="text-(--kind)">{moment.category}</span>} {moment.message}
        </p>
        <Data data={moment.data} />
      </div>
    </li>
  );
}

/** What the browser and the server did before, at and after the error, in the order of time. */
export function Timeline({ incident }: { incident: Incident }) {
  const moments = listMoments(incident);
  const origin = moments.find((moment) => moment.isError)?.time ?? moments[0]?.time ?? 0;
  return (
    <Panel title="Timeline">
      <ol className="timeline">
        {moments.map((moment, index) => (
          <Line key={index} moment={moment} origin={origin} />
        ))}
      </ol>
      {incident.browser.length > 0 && incident.server ? (
        <p className="text-sm text-quiet">
          The browser’s times are by its own clock, which may differ from the server’s.
        </p>
      ) : null}
    </Panel>
  );
}
