import {
  Client,
  type ClientBase,
  type ClientConfig,
  type CustomTypesConfig,
  Pool as Connections,
  type PoolClient,
  types,
} from 'pg';

import { describeError } from '#boundary';

import { findHosts, type Hosts } from './hosts.ts';
import { isOfServer, NoPlace, NotConnected, ReadOnlyServer } from './postgres-errors.ts';

/**
 * Connections to PostgreSQL. `pg` knows one host for each connection; here a connection string may name several, a primary
 * and its standbys. Each new connection goes to the host where the last one succeeded; when it fails, or when the server there takes no
 * writes, the next host is tried. So after a failover the instances find the new primary by themselves.
 */
export type Pool = {
  /** @throws the last host's error when no host has a server that takes writes; `NoPlace` when all connections stayed in use */
  readonly connect: () => Promise<PoolClient>;
  /** See `Hosts`. */
  readonly avoidHost: (client: PoolClient) => void;
  readonly end: () => Promise<void>;
};

export type PoolOptions = {
  /** How many connections at most. */
  readonly most?: number;
  /** What `pg_stat_activity` shows, after `flight-recorder`. */
  readonly purpose?: string;
};

/**
 * PostgreSQL has a hundred for all, of which three are kept for superusers. Eight instances, each with these, one for errors, one that
 * asks whether the server answers (open-postgres-store.ts), four for flights and one that listens, have room in that.
 */
const connectionsMost = 5;
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

/** `pg`'s own, which has no code. */
const noPlaceMessage = 'timeout exceeded when trying to connect';

/**
 * Nothing is connected yet.
 * @param to an address, or what it shares with other pools
 * @throws when it is no connection string
 */
export function openPool(to: string | Hosts, options: PoolOptions = {}): Pool {
  const hosts = typeof to === 'string' ? findHosts(to) : to;
  const { mustBePrimary, idle } = hosts;
  const pool = new Connections({
    ...describeConnection(options),
    max: options.most ?? connectionsMost,
    idleTimeoutMillis: mayIdleMs,
    // A command that has done its work ends.
    allowExitOnIdle: true,
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        const host = hosts.current();
        super({ ...config, connectionString: hosts.addressOf(host) });
        hosts.note(this, host);
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

  /** @returns the connection, or why there is none */
  async function tryCurrent(): Promise<PoolClient | { readonly failure: Error }> {
    const host = hosts.current();
    try {
      return await pool.connect();
    } catch (error) {
      if (pool.ending) throw error;
      // Others use all of them, which says nothing of the server. Who connects at the moment notices by himself whether it is gone.
      if (error instanceof Error && error.message === noPlaceMessage) return { failure: new NoPlace() };
      hosts.avoid(host);
      return { failure: isOfServer(error) ? error : new NotConnected(describeError(error), { cause: error }) };
    }
  }

  async function connect(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const found = await tryCurrent();
      if (!('failure' in found)) return found;
      if (tries >= hosts.count || found.failure instanceof NoPlace) throw found.failure;
    }
  }

  return { connect, avoidHost: hosts.avoidHostOf, end: () => pool.end() };
}
