import { formatBytes, formatCount, formatDuration } from '#flight';
import { type ComparedRoute, hasFew } from '#src/flights/for-operator/compare-builds.ts';
import { nameKind } from '#src/ui/kind-badge.tsx';
import { Table, type Column } from '#viewer/table.tsx';

/** More than anybody reads. */
const routesShown = 50;

type ChangeProps = {
  readonly now?: number | undefined;
  readonly before?: number | undefined;
  readonly format: (value: number) => string;
  /** A share of so few would say something of the hour, and nothing of the build. */
  readonly isFew?: boolean;
};

function Change({ now, before, format, isFew = false }: ChangeProps) {
  if (now === undefined) return 'unknown';
  if (before === undefined) return format(now);
  if (isFew) {
    return (
      <>
        {format(now)} <span className="whitespace-nowrap text-quiet">was {format(before)}</span>
      </>
    );
  }
  const change = before === 0 ? 0 : Math.round(((now - before) / before) * 100);
  return (
    <>
      {format(now)}{' '}
      <span className="whitespace-nowrap text-quiet">
        {change === 0 ? 'as before' : `${change > 0 ? '+' : '−'}${Math.abs(change)} %, was ${format(before)}`}
      </span>
    </>
  );
}

const columns: readonly Column<ComparedRoute>[] = [
  {
    head: 'Route',
    isRowName: true,
    cell: ({ now, before, isHeavier }) => (
      <>
        <span className="code [overflow-wrap:anywhere]">{now.route}</span>{' '}
        <span className="font-normal text-quiet">
          {nameKind(now.kind)}
          {before ? null : ', none before'}
        </span>
        {isHeavier ? <strong className="text-error"> heavier</strong> : null}
      </>
    ),
  },
  { head: 'Flight', cell: ({ now, before }) => <Change now={now.bytes} before={before?.bytes} format={formatBytes} /> },
  {
    head: 'Time',
    cell: ({ now, before }) => (
      <Change
        now={now.ms}
        before={before?.ms}
        format={formatDuration}
        isFew={hasFew(now) || (before !== undefined && hasFew(before))}
      />
    ),
  },
  {
    head: 'Answers',
    cell: ({ now, before }) => (
      <>
        {formatCount(now.flights)}{' '}
        {before ? <span className="text-quiet">before {formatCount(before.flights)}</span> : null}
      </>
    ),
  },
];

/** Each route of a build beside the build before: what is usual in both. */
export function ComparedRoutes({ routes }: { routes: readonly ComparedRoute[] }) {
  const more = routes.length - routesShown;
  return (
    <>
      <Table
        label="Routes"
        columns={columns}
        rows={routes.slice(0, routesShown)}
        keyOf={({ now }) => `${now.kind} ${now.route}`}
      />
      <p className="text-sm text-quiet">
        Compared are answers that came whole, with a status below 400. Of fewer than three no share of the time is said.
      </p>
      {more > 0 ? <p className="text-sm text-quiet">And {formatCount(more)} more.</p> : null}
    </>
  );
}
