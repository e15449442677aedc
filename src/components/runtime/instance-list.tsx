import { formatBytes, formatCount, formatDuration } from '#flight';
import { Moment } from '#src/components/moment.tsx';
import type { ListedInstance } from '#src/operator/list-instances.ts';

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
      <td data-label="State">
        <Presence instance={instance} now={now} />
      </td>
      <td data-label="Version">
        {version} <span className="code">{build || 'not built'}</span>
      </td>
      <td data-label="Listens on" className="[overflow-wrap:anywhere]">
        {state.address} <span className="block text-quiet">{origin}</span>
      </td>
      <td data-label="Started" className="whitespace-nowrap">
        <Moment time={started} now={now} isDense />
      </td>
      <td data-label="Load" className="whitespace-nowrap">
        {isHere ? `${formatDuration(state.delayMs)} late, ${formatBytes(state.memoryBytes)}` : 'none'}
      </td>
      <td data-label="Requests">{formatCount(counts.requests)}</td>
      <td data-label="Errors">{formatCount(counts.errors)}</td>
      <td data-label="Flights">{formatCount(counts.flights)}</td>
      <td data-label="Lost">
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
      <table className="fold" aria-label="Instances">
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">State</th>
            <th scope="col">Version</th>
            <th scope="col">Listens on</th>
            <th scope="col">Started</th>
            <th scope="col">Load</th>
            <th scope="col">Requests</th>
            <th scope="col">Errors</th>
            <th scope="col">Flights</th>
            <th scope="col">Lost</th>
            <th scope="col">Does for all</th>
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => (
            <Row key={instance.id} instance={instance} now={now} />
          ))}
        </tbody>
      </table>
    </>
  );
}
