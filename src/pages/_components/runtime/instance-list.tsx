import { formatBytes, formatCount, formatDuration } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import type { ListedInstance } from '#src/access/list-instances.ts';
import { Table, type Column } from '#viewer/table.tsx';

function countDropped({ state }: ListedInstance): number {
  const { counts } = state;
  return (
    counts['dropped-memory'] +
    counts['dropped-disk'] +
    counts['dropped-database'] +
    counts['dropped-thread'] +
    counts['dropped-unreadable'] +
    counts['dropped-usage']
  );
}

function Presence({ instance, now }: { instance: ListedInstance; now: number }) {
  switch (instance.presence) {
    case 'here':
      return <>{instance.state.load === 'calm' ? 'running' : `running, turns work away (${instance.state.load})`}</>;
    case 'stopped':
      return (
        <>
          stopped <Moment time={instance.seen} now={now} isDense />
        </>
      );
    case 'gone':
      return (
        <>
          not heard of since <Moment time={instance.seen} now={now} isDense />
        </>
      );
  }
}

function Load({ instance: { presence, state } }: { instance: ListedInstance }) {
  if (presence !== 'here') return 'none';
  return (
    <>
      <span className="whitespace-nowrap">{formatDuration(state.delayMs)} late,</span>{' '}
      <span className="whitespace-nowrap">{formatBytes(state.memoryBytes)}</span>
    </>
  );
}

function Lost({ instance }: { instance: ListedInstance }) {
  const lost = countDropped(instance) + instance.state.counts.unstored;
  return <span className={lost > 0 ? 'font-semibold text-error' : ''}>{formatCount(lost)}</span>;
}

function countColumn(head: string, count: 'requests' | 'errors' | 'flights'): Column<ListedInstance> {
  return { head, className: 'whitespace-nowrap', cell: ({ state }) => formatCount(state.counts[count]) };
}

function listColumns(now: number): readonly Column<ListedInstance>[] {
  return [
    {
      head: 'Machine',
      isRowName: true,
      cell: ({ host, pid, isOwn }) => (
        <>
          <span className="[overflow-wrap:anywhere]">{host}</span>{' '}
          <span className="block font-normal text-quiet">
            process {pid}
            {isOwn ? ', made this page' : ''}
          </span>
        </>
      ),
    },
    {
      head: 'State',
      className: '[overflow-wrap:normal]',
      cell: (instance) => (
        <>
          <Presence instance={instance} now={now} />{' '}
          <span className="block whitespace-nowrap text-quiet">
            started <Moment time={instance.started} now={now} isDense />
          </span>
        </>
      ),
    },
    {
      head: 'Version',
      className: '[overflow-wrap:normal]',
      cell: ({ version, build }) => (
        <>
          {version} <span className="code">{build || 'not built'}</span>
        </>
      ),
    },
    {
      head: 'Listens on',
      className: 'min-w-44 [overflow-wrap:anywhere]',
      cell: ({ state, origin }) => (
        <>
          {state.address} <span className="block text-quiet">{origin}</span>
        </>
      ),
    },
    { head: 'Load', className: '[overflow-wrap:normal]', cell: (instance) => <Load instance={instance} /> },
    countColumn('Requests', 'requests'),
    countColumn('Errors', 'errors'),
    countColumn('Flights', 'flights'),
    { head: 'Lost', className: 'whitespace-nowrap', cell: (instance) => <Lost instance={instance} /> },
    {
      head: 'Does for all',
      cell: ({ presence, state: { leases } }) =>
        presence === 'here' && leases.length > 0 ? leases.join(', ') : 'nothing',
    },
  ];
}

/** What a script may look for, too. */
function presenceProps({ presence }: ListedInstance) {
  return { className: presence === 'here' ? undefined : 'text-quiet', 'data-presence': presence };
}

/** The servers on this database. */
export function InstanceList({ instances, now }: { instances: readonly ListedInstance[]; now: number }) {
  return (
    <>
      <p className="text-sm text-quiet">
        Counted since each of them started. A server is gone when it was not heard of for 15 seconds, and leaves this
        list after ten minutes.
      </p>
      {/* Between a screen on which rows fold and one that has room for all columns. The keyboard scrolls it, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table of instances">
        <Table
          label="Instances"
          columns={listColumns(now)}
          rows={instances}
          keyOf={({ id }) => id}
          rowProps={presenceProps}
        />
      </div>
    </>
  );
}
