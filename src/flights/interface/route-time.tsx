import './flights.css';

import { countOf, formatCount, formatDuration, nameSpan } from '#flight';
import { Table, type Column } from '#viewer/table.tsx';
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

const stretchColumns: readonly Column<Stretch>[] = [
  { head: 'When', isRowName: true, cell: ({ of }) => <StretchName of={of} /> },
  { head: 'Flights', isNumber: true, cell: ({ flights }) => formatCount(flights) },
  { head: 'Half within', isNumber: true, cell: ({ p50Ms }) => formatDuration(p50Ms) },
  { head: '95 % within', isNumber: true, cell: ({ p95Ms }) => formatDuration(p95Ms) },
  { head: '99 % within', isNumber: true, cell: ({ p99Ms }) => formatDuration(p99Ms) },
];

function listSpanColumns(traced: number, most: number): readonly Column<SummedSpan>[] {
  return [
    { head: 'What', isRowName: true, className: 'code [overflow-wrap:anywhere]', cell: nameSpan },
    {
      head: 'In answers',
      isNumber: true,
      cell: ({ answers, times }) =>
        `${formatCount(answers)} of ${formatCount(traced)}${times > answers ? `, ${formatCount(times)} times` : ''}`,
    },
    { head: 'Half within', isNumber: true, cell: ({ p50Ms }) => formatDuration(p50Ms) },
    { head: '95 % within', isNumber: true, cell: ({ p95Ms }) => formatDuration(p95Ms) },
    {
      head: 'In all',
      cell: ({ kind, totalMs }) => (
        <span className="figure" data-kind={kind === 'client' ? 'navigation' : 'document'}>
          {formatDuration(totalMs)}
          <Meter most={most} parts={[{ value: totalMs }]} />
        </span>
      ),
    },
  ];
}

/** Of one route: how its times changed, and what its server waited for. Nothing where it has not answered for two days. */
export function RouteTime({ time: { stretches, spans, traced } }: { time: Time }) {
  if (stretches.length === 0) return null;
  return (
    <details className="stack-2">
      <summary>How long this route takes, and what for</summary>
      <Table
        label="How long it took"
        columns={stretchColumns}
        rows={stretches}
        keyOf={({ of }) => (of.kind === 'build' ? `build ${of.build}` : String(of.isLast))}
      />
      {traced === 0 ? (
        <p className="text-sm text-quiet">
          What the server did meanwhile is unknown: the app told nothing of it.{' '}
          <code>flight-recorder run --traces</code> asks an app with OpenTelemetry.
        </p>
      ) : (
        <>
          <Table
            label="What the server did meanwhile"
            columns={listSpanColumns(traced, spans[0]?.totalMs ?? 0)}
            rows={spans}
            keyOf={({ kind, name }) => `${kind} ${name}`}
          />
          <p className="text-sm text-quiet">
            As the app reports it, of the newest {countOf(traced, 'answer')} that it reported. The time of each is its
            own, without what went on within it.
          </p>
        </>
      )}
    </details>
  );
}
