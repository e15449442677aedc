import { formatBytes, formatCount, formatDuration } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import type { ListedInstance } from '#src/access/list-instances.ts';
import { TableHead } from '#viewer/table-head.tsx';

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

function Row({ instance, now }: { instance: ListedInstance; now: number }) {
  const { host, pid, origin, version, build, started, presence, state, isOwn } = instance;
  const { counts } = state;
  const isHere = presence === 'here';
  const lost = countDropped(instance) + counts.unstored;
  return (
    <tr className={isHere ? '' : 'text-quiet'} data-presence={presence}>
      <th scope="row">
        <span className="[overflow-wrap:anywhere]">{host}</span>{' '}
        <span className="block font-normal text-quiet">
          process {pid}
          {isOwn ? ', made this page' : ''}
        </span>
      </th>
      <td data-label="State" className="[overflow-wrap:normal]">
        <Presence instance={instance} now={now} />{' '}
        <span className="block whitespace-nowrap text-quiet">
          started <Moment time={started} now={now} isDense />
        </span>
      </td>
      <td data-label="Version" className="[overflow-wrap:normal]">
        {version} <span className="code">{build || 'not built'}</span>
      </td>
      <td data-label="Listens on" className="min-w-44 [overflow-wrap:anywhere]">
        {state.address} <span className="block text-quiet">{origin}</span>
      </td>
      <td data-label="Load" className="[overflow-wrap:normal]">
        {isHere ? (
          <>
            <span className="whitespace-nowrap">{formatDuration(state.delayMs)} late,</span>{' '}
            <span className="whitespace-nowrap">{formatBytes(state.memoryBytes)}</span>
          </>
        ) : (
          'none'
        )}
      </td>
      <td data-label="Requests" className="whitespace-nowrap">
        {formatCount(counts.requests)}
      </td>
      <td data-label="Errors" className="whitespace-nowrap">
        {formatCount(counts.errors)}
      </td>
      <td data-label="Flights" className="whitespace-nowrap">
        {formatCount(counts.flights)}
      </td>
      <td data-label="Lost" className="whitespace-nowrap">
        <span className={lost > 0 ? 'font-semibold text-error' : ''}>{formatCount(lost)}</span>
      </td>
      <td data-label="Does for all">{isHere && state.leases.length > 0 ? state.leases.join(', ') : 'nothing'}</td>
    </tr>
  );
}

/** The servers on this database. On a narrow screen each row folds. */
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
        <table className="fold" aria-label="Instances">
          <TableHead
            columns={[
              'Machine',
              'State',
              'Version',
              'Listens on',
              'Load',
              'Requests',
              'Errors',
              'Flights',
              'Lost',
              'Does for all',
            ]}
          />
          <tbody>
            {instances.map((instance) => (
              <Row key={instance.id} instance={instance} now={now} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
