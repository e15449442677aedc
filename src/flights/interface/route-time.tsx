import './flights.css';

import { countOf, formatCount, formatDuration, nameSpan } from '#flight';
import { TableHead } from '#viewer/table-head.tsx';
import type { RouteTime as Time, Stretch } from '#src/flights/for-operator/read-route-time.ts';
import type { SummedSpan } from '#src/flights/for-operator/sum-times.ts';

import { Meter } from './meter.tsx';

function StretchName({ of }: Pick<Stretch, 'of'>) {
  switch (of.kind) {
    case 'day':
      return of.isLast ? 'The last 24 hours' : 'The 24 hours before';
    case 'build':
      return (
        <>
          Build <span className="code [overflow-wrap:anywhere]">{of.build}</span>
        </>
      );
  }
}

function Stretches({ stretches }: { stretches: readonly Stretch[] }) {
  return (
    <table className="fold" aria-label="How long it took">
      <TableHead
        columns={[
          'When',
          { number: 'Flights' },
          { number: 'Half within' },
          { number: '95 % within' },
          { number: '99 % within' },
        ]}
      />
      <tbody>
        {stretches.map(({ of, flights, p50Ms, p95Ms, p99Ms }) => (
          <tr key={of.kind === 'build' ? `build ${of.build}` : String(of.isLast)}>
            <th scope="row">
              <StretchName of={of} />
            </th>
            <td data-number data-label="Flights">
              {formatCount(flights)}
            </td>
            <td data-number data-label="Half within">
              {formatDuration(p50Ms)}
            </td>
            <td data-number data-label="95 % within">
              {formatDuration(p95Ms)}
            </td>
            <td data-number data-label="99 % within">
              {formatDuration(p99Ms)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spans({ spans, traced }: { spans: readonly SummedSpan[]; traced: number }) {
  const most = spans[0]?.totalMs ?? 0;
  return (
    <table className="fold" aria-label="What the server did meanwhile">
      <TableHead
        columns={['What', { number: 'In answers' }, { number: 'Half within' }, { number: '95 % within' }, 'In all']}
      />
      <tbody>
        {spans.map(({ name, kind, answers, times, p50Ms, p95Ms, totalMs }) => (
          <tr key={`${kind} ${name}`}>
            <th scope="row" className="code [overflow-wrap:anywhere]">
              {nameSpan({ kind, name })}
            </th>
            <td data-number data-label="In answers">
              {formatCount(answers)} of {formatCount(traced)}
              {times > answers ? `, ${formatCount(times)} times` : ''}
            </td>
            <td data-number data-label="Half within">
              {formatDuration(p50Ms)}
            </td>
            <td data-number data-label="95 % within">
              {formatDuration(p95Ms)}
            </td>
            <td data-label="In all">
              <span className="figure" data-kind={kind === 'client' ? 'navigation' : 'document'}>
                {formatDuration(totalMs)}
                <Meter most={most} parts={[{ value: totalMs }]} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Of one route: how its times changed, and what its server waited for. Nothing where it has not answered for two days. */
export function RouteTime({ time: { stretches, spans, traced } }: { time: Time }) {
  if (stretches.length === 0) return null;
  return (
    <details className="stack-2">
      <summary>How long this route takes, and what for</summary>
      <Stretches stretches={stretches} />
      {traced === 0 ? (
        <p className="text-sm text-quiet">
          What the server did meanwhile is unknown: the app told nothing of it.{' '}
          <code>flight-recorder run --traces</code> asks an app with OpenTelemetry.
        </p>
      ) : (
        <>
          <Spans spans={spans} traced={traced} />
          <p className="text-sm text-quiet">
            As the app reports it, of the newest {countOf(traced, 'answer')} that it reported. The time of each is its
            own, without what went on within it.
          </p>
        </>
      )}
    </details>
  );
}
