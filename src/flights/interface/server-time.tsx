import './server-time.css';

import {
  formatCount,
  formatDuration,
  introduceServerTime,
  nameSpan,
  type PlacedSpan,
  type ServerTime,
  type ShellWait,
} from '#flight';
import { TableHead } from '#viewer/table.tsx';
import { Panel } from '#viewer/panel.tsx';

import { ServerTimeFindings, type ShowPlaces } from './server-time-findings.tsx';

const width = 1_000;
/** A span of a millisecond must still be visible. */
const leastWidth = 4;

function Track({ span: { at, ms }, from, length }: { span: PlacedSpan; from: number; length: number }) {
  const scale = length === 0 ? 0 : width / length;
  const bar = Math.max(leastWidth, ms * scale);
  return (
    <svg
      className="server-time-track"
      viewBox={`0 0 ${width} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`from ${formatDuration(at)} to ${formatDuration(at + ms)}`}
    >
      <rect x={Math.max(0, Math.min((at - from) * scale, width - bar))} y="2" width={bar} height="8" />
    </svg>
  );
}

type SpansProps = {
  readonly spans: readonly PlacedSpan[];
  readonly from: number;
  readonly length: number;
  readonly showPlaces: ShowPlaces;
};

function Spans({ spans, from, length, showPlaces }: SpansProps) {
  return (
    <table className="server-time">
      <TableHead columns={[{ head: 'What' }, { head: 'Time' }, { head: 'When' }]} />
      <tbody>
        {spans.map((span, index) => (
          <tr key={index} data-kind={span.kind} data-failed={span.hasFailed || undefined}>
            <th scope="row" style={{ paddingInlineStart: `${Math.min(span.depth, deepest) * 0.75}rem` }}>
              <span className="code">{nameSpan(span)}</span>
              {span.place === undefined ? null : <span className="text-quiet"> {showPlaces(span.place)}</span>}
              {span.hasFailed ? <span className="text-accent"> failed</span> : null}
              {span.isOpen ? <span className="text-quiet"> not ended when the answer was</span> : null}
            </th>
            <td>{formatDuration(span.ms)}</td>
            <td>
              <Track span={span} from={from} length={length} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Beyond it a phone would have no room for names. */
const deepest = 8;
/** What is shorter cannot be seen in the picture. */
const seenShare = 0.01;

/** Outside of the server of whose sources it tells. */
function showText(text: string): string {
  return text;
}

type ServerTimeProps = {
  readonly time: ServerTime;
  /** What of the flight came late that its page could not be shown without. */
  readonly shell: readonly ShellWait[];
  /** Of the flight, as far as it is known: the axis is at least as long. */
  readonly durationMs: number;
  readonly showPlaces?: ShowPlaces;
};

export function ServerTimePanel({ time, shell, durationMs, showPlaces = showText }: ServerTimeProps) {
  const { spans, left } = time;
  const from = Math.min(0, ...spans.map(({ at }) => at));
  const length = Math.max(durationMs, ...spans.map(({ at, ms }) => at + ms)) - from;
  const seen = spans.filter(({ ms, hasFailed }) => hasFailed || ms >= length * seenShare);
  return (
    <Panel title="Where the server’s time went">
      <p className="text-sm text-quiet">{introduceServerTime(time, length)}</p>
      <ServerTimeFindings time={time} shell={shell} showPlaces={showPlaces} />
      <Spans spans={seen} from={from} length={length} showPlaces={showPlaces} />
      {seen.length === spans.length && left === 0 ? null : (
        <details className="text-sm">
          <summary>
            {formatCount(spans.length)} in all, with what took less than {formatDuration(length * seenShare)}
          </summary>
          {left === 0 ? null : <p>{formatCount(left)} more are not shown: the shortest of them.</p>}
          <Spans spans={spans} from={from} length={length} showPlaces={showPlaces} />
        </details>
      )}
    </Panel>
  );
}
