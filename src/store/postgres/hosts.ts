import type { ClientBase, PoolClient } from 'pg';

import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';

/**
 * Which of the hosts of an address new connections go to. Pools that share it leave a host together that one of them found gone:
 * otherwise each would wait for the same machine.
 */
export type Hosts = {
  readonly count: number;
  readonly mustBePrimary: boolean;
  readonly current: () => number;
  readonly addressOf: (host: number) => string | undefined;
  readonly note: (client: ClientBase, host: number) => void;
  /** New connections go to the next one, unless they do already. */
  readonly avoid: (host: number) => void;
  /**
   * The server of this connection is gone or takes no writes: the next connection goes to another host, if there are several, and
   * no other connection to it is used that nobody uses now. When its machine is gone, each of them would be waited for.
   */
  readonly avoidHostOf: (client: ClientBase) => void;
  /** Connections that nobody uses now. */
  readonly idle: Set<PoolClient>;
};

/** @throws when `url` is no connection string */
export function findHosts(url: string): Hosts {
  const parsed = parseDatabaseUrl(url);
  if (!parsed) throw new Error('The address of the database is no connection string of PostgreSQL');
  const { hosts, mustBePrimary } = parsed;
  let current = 0;
  /** A connection may break long after the others have gone to another host. */
  const hostOf = new WeakMap<ClientBase, number>();
  const idle = new Set<PoolClient>();

  function avoid(host: number): void {
    if (current === host) current = (host + 1) % hosts.length;
  }

  function forget(client: PoolClient): void {
    idle.delete(client);
    // As if it had broken by itself: its pool gives it to nobody from this moment on. A machine that is gone answers no farewell.
    client.emit('error', new Error('its host is avoided'));
    client.connection.stream.destroy();
  }

  return {
    count: hosts.length,
    mustBePrimary,
    current: () => current,
    addressOf: (host) => hosts[host],
    note: (client, host) => void hostOf.set(client, host),
    avoid,
    avoidHostOf(client) {
      const host = hostOf.get(client);
      if (host === undefined) return;
      avoid(host);
      for (const one of idle) if (hostOf.get(one) === host) forget(one);
    },
    idle,
  };
}
