import {
  Client,
  type ClientBase,
  type ClientConfig,
  type CustomTypesConfig,
  Pool as Connections,
  type PoolClient,
  types,
} from 'pg';

import { parseDatabaseUrl } from '#src/environment/parse-database-url.ts';

import { ReadOnlyServer } from './postgres-errors.ts';

/**
 * Connections to PostgreSQL. `pg` knows one host for each connection; here a connection string may name several, a primary
 * and its standbys. Each new connection goes to the host where the last one succeeded; when it fails, or when the server there takes no
 * writes, the next host is tried. So after a failover the instances find the new primary by themselves.
 */
export type Pool = {
  /** @throws the last host's error when no host has a server that takes writes */
  readonly connect: () => Promise<PoolClient>;
  /**
   * The server of this connection is gone or takes no writes: the next connection goes to another host, if there are several, and
   * no other connection to it is used that nobody uses now. When its machine is gone, each of them would be waited for.
   */
  readonly avoidHost: (client: PoolClient) => void;
  readonly end: () => Promise<void>;
};

type PoolOptions = {
  /** How many connections at most. */
  readonly most?: number;
  /** What `pg_stat_activity` shows, after `flight-recorder`. */
  readonly purpose?: string;
};

/**
 * PostgreSQL has a hundred for all, of which some are kept for superusers. Eight instances, each with these, four for flights and one
 * that listens, have room in that.
 */
const connectionsMost = 6;
/** Also the wait for a connection when all are in use. */
const connectMs = 5_000;
/** No query of a page takes long; retention's take a second at most. A page whose query takes longer has failed. */
const statementMs = 30_000;
/** An answer that does not come even so: the server's machine is gone. */
const answerMs = statementMs + 5_000;
/** An instance that stopped in the middle of a transaction holds the turn to write. It loses it after this time. */
const idleInTransactionMs = 10_000;
/** A connection whose machine is gone is found out within half a minute. */
const aliveSeconds = { idle: 10, interval: 5, count: 3 };
const mayIdleMs = 60_000;

const { builtins, getTypeParser } = types;

/** Numbers as SQLite gives them: ours are all below 2^53, and a comparison is 1 or 0. */
const parsers = new Map<number, (text: string) => number>([
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
]);

const ourTypes: CustomTypesConfig = {
  getTypeParser: (id, format) =>
    format === 'binary' ? getTypeParser(id, format) : (parsers.get(id) ?? getTypeParser(id)),
};

function describeConnection({ purpose }: PoolOptions): ClientConfig {
  return {
    application_name: purpose === undefined ? 'flight-recorder' : `flight-recorder ${purpose}`,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: aliveSeconds.idle * 1_000,
    types: ourTypes,
  };
}

/**
 * What every connection of this app sets, before anybody gets it. Not as parameters of its start: PgBouncer refuses a connection that
 * has some which it does not know. In the same round trip it says whether it takes writes.
 */
const settings = Object.entries({
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  tcp_keepalives_idle: aliveSeconds.idle,
  tcp_keepalives_interval: aliveSeconds.interval,
  tcp_keepalives_count: aliveSeconds.count,
}).map(([name, value]) => `set_config('${name}', '${value}', false)`);

const firstQuestion = {
  text: `select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as takes_writes,
    ${settings.join(', ')}`,
  // A pooler takes a connection also when there is no server behind it.
  query_timeout: connectMs,
};

async function prepareConnection(client: ClientBase, mustBePrimary: boolean): Promise<void> {
  const { rows } = await client.query<{ takes_writes: number }>(firstQuestion);
  if (!mustBePrimary || rows[0]?.takes_writes === 1) return;
  throw new ReadOnlyServer('The server takes no writes: it is a standby');
}

/** Breaks a connection whose server does not answer: its query fails at once, and the pool gets it back as broken. */
export function breakConnection(client: PoolClient): void {
  if (client instanceof Client) void client.end();
}

/** @throws when `url` is no connection string. Nothing is connected yet. */
export function openPool(url: string, options: PoolOptions = {}): Pool {
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

  const pool = new Connections({
    ...describeConnection(options),
    max: options.most ?? connectionsMost,
    idleTimeoutMillis: mayIdleMs,
    // A command that has done its work ends.
    allowExitOnIdle: true,
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        super({ ...config, connectionString: hosts[current] });
        hostOf.set(this, current);
      }
    },
    onConnect: (client) => prepareConnection(client, mustBePrimary),
  });
  // The pool replaces a connection that breaks while nobody uses it. Who uses one gets the error from the query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));

  function avoidHost(client: PoolClient): void {
    const host = hostOf.get(client);
    if (host === undefined) return;
    avoid(host);
    // As if the server had closed it. The pool then forgets it.
    for (const one of idle) if (hostOf.get(one) === host) one.connection.stream.destroy();
  }

  async function connect(): Promise<PoolClient> {
    let failure: unknown;
    for (const _ of hosts) {
      const host = current;
      try {
        return await pool.connect();
      } catch (error) {
        failure = error;
        avoid(host);
      }
    }
    throw failure;
  }

  return { connect, avoidHost, end: () => pool.end() };
}
