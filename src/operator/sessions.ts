import 'server-only';

import type { Transaction } from 'kysely';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import type { Store } from '#src/store/open-store.ts';
import type { SessionTable, Tables } from '#src/store/schema.ts';

import { oncePerTurn, systemClocks, type Clocks } from './clock.ts';
import { hashSecret, isSecret, mintSecret } from './secret.ts';

/**
 * Who is signed in. A session is a random secret in a cookie and a row under its hash; nothing in the cookie can be
 * read or forged. Every request looks its session up, so the rows are kept in memory, and read again when another
 * connection wrote to the database: what the command line revokes is over at the next request.
 *
 * How long a session still lasts is counted in memory, on a clock that nobody sets. The times in the database only
 * tell a process that starts how much was left, and never give it more than a whole term.
 */
const idleMs = 12 * 60 * 60_000;
/** Also the cookie's age. */
export const sessionMs = 14 * 24 * 60 * 60_000;
/** How exact `last_seen` is. Every request would otherwise write. */
const seenEveryMs = 60_000;
/** One operator has a handful of browsers. The one that was seen longest ago makes room. */
const sessionsKept = 50;
/** Room for the browsers' own; they have grown to some 250 characters. */
const userAgentKept = 300;
const addressKept = 64;

export type Session = {
  readonly id: string;
  /** Milliseconds since 1970, as the other times. */
  readonly created: number;
  readonly lastSeen: number;
  readonly expires: number;
  readonly openedBy: SessionTable['opened_by'];
  readonly userAgent: string;
  readonly address: string;
};

type Held = {
  row: SessionTable;
  /** On the steady clock. */
  readonly endsAt: number;
  idleAt: number;
  writtenAt: number;
};

type Memory = {
  /** The database's, when the rows were read. */
  version: number | undefined;
  /** Counts what this process wrote, which does not change the version. */
  writes: number;
  held: Map<string, Held>;
  /** The hashes of the secrets that have been looked up and found: hashing costs more than the rest of a look-up. */
  readonly hashes: Map<string, string>;
};

export type Sessions = {
  /** The live session of a cookie's secret. Being looked up is being seen. */
  readonly find: (secret: string) => Promise<Session | undefined>;
  /** The live ones, the last seen first. */
  readonly list: () => Promise<Session[]>;
  /**
   * Opens a session when `permit` lets it, all in one transaction.
   * @param replaced the cookie that the browser had: its session ends, so that no secret outlives a sign-in
   * @returns the new secret, or what `permit` said
   */
  readonly open: <Problem extends string>(
    from: { readonly openedBy: Session['openedBy']; readonly userAgent: string; readonly address: string },
    replaced: readonly string[],
    permit: (trx: Transaction<Tables>) => Promise<Problem | undefined>,
  ) => Promise<{ readonly secret: string } | { readonly problem: Problem }>;
  /** @returns how many there were */
  readonly revoke: (ids: readonly string[]) => Promise<number>;
  /** @param within what else has to happen in the same transaction */
  readonly revokeAll: (within?: (trx: Transaction<Tables>) => Promise<void>) => Promise<number>;
};

function clamp(value: number, longest: number): number {
  return Math.min(Math.max(value, 0), longest);
}

function toSession(row: SessionTable): Session {
  return {
    id: row.id,
    created: row.created,
    lastSeen: row.last_seen,
    expires: row.expires,
    openedBy: row.opened_by,
    userAgent: row.user_agent,
    address: row.address,
  };
}

/** @param readVersion of the database, for look-ups; `sessionsOf` says why it may be asked less often than the store's */
export function createSessions(
  store: Store,
  { wall, steady }: Clocks = systemClocks,
  readVersion: () => number = store.dataVersion,
): Sessions {
  const memory: Memory = { version: undefined, writes: 0, held: new Map(), hashes: new Map() };

  function hold(row: SessionTable): Held {
    const known = memory.held.get(row.id);
    // What is known keeps its own deadlines: the row's times say something else after the clock was set.
    if (known) return { ...known, row };
    const now = wall();
    const at = steady();
    return {
      row,
      endsAt: at + clamp(row.expires - now, sessionMs),
      idleAt: at + clamp(row.last_seen + idleMs - now, idleMs),
      writtenAt: at,
    };
  }

  /** The secret of a session that is over goes with it: there are never more of them here than sessions. */
  function keep(held: Map<string, Held>): void {
    memory.held = held;
    for (const [secret, id] of memory.hashes) if (!held.has(id)) memory.hashes.delete(secret);
  }

  /** After a write of this process, which the version does not tell. */
  function forget(ids: readonly string[]): void {
    memory.writes += 1;
    keep(new Map([...memory.held].filter(([id]) => !ids.includes(id))));
  }

  async function refresh(): Promise<void> {
    let writes: number;
    let version: number;
    let rows: SessionTable[];
    do {
      ({ writes } = memory);
      version = store.dataVersion();
      rows = await store.db.selectFrom('session').selectAll().execute();
      // When this process wrote meanwhile, the rows may be those from before.
    } while (memory.writes !== writes);
    keep(new Map(rows.map((row) => [row.id, hold(row)])));
    memory.version = version;
  }

  function isLive({ endsAt, idleAt }: Held, now = steady()): boolean {
    return now < endsAt && now < idleAt;
  }

  async function remove(ids: readonly string[]): Promise<number> {
    const { numDeletedRows } = await store.db.deleteFrom('session').where('id', 'in', ids).executeTakeFirstOrThrow();
    forget(ids);
    return Number(numDeletedRows);
  }

  /** In the background: no page waits for it, and a disk that is full must not sign anybody out. */
  function write(id: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      writeLog('warn', 'session-not-written', {
        session: id.slice(0, 12),
        reason: describeError(error),
      });
    });
  }

  function see(held: Held, at: number): void {
    held.idleAt = at + idleMs;
    if (at - held.writtenAt < seenEveryMs) return;
    held.writtenAt = at;
    const { id } = held.row;
    held.row = { ...held.row, last_seen: wall() };
    write(id, store.db.updateTable('session').set({ last_seen: wall() }).where('id', '=', id).execute());
  }

  async function find(secret: string): Promise<Session | undefined> {
    if (!isSecret(secret)) return undefined;
    if (memory.version !== readVersion()) await refresh();
    const id = memory.hashes.get(secret) ?? hashSecret(secret);
    const held = memory.held.get(id);
    if (!held) return undefined;
    memory.hashes.set(secret, id);
    const at = steady();
    if (!isLive(held, at)) {
      // Out of the database too, or a clock that is set back would bring it to life at the next start.
      write(held.row.id, remove([held.row.id]));
      return undefined;
    }
    see(held, at);
    return toSession(held.row);
  }

  async function list(): Promise<Session[]> {
    await refresh();
    return [...memory.held.values()]
      .filter((held) => isLive(held))
      .map(({ row }) => toSession(row))
      .sort((a, b) => b.lastSeen - a.lastSeen);
  }

  async function makeRoom(trx: Transaction<Tables>, replaced: readonly string[]): Promise<string[]> {
    const rows = await trx.selectFrom('session').selectAll().orderBy('last_seen', 'desc').execute();
    const stale = rows.filter((row) => {
      const held = memory.held.get(row.id);
      return replaced.includes(row.id) || (held ? !isLive(held) : row.expires <= wall());
    });
    const kept = rows.filter((row) => !stale.includes(row));
    const gone = [...stale, ...kept.slice(sessionsKept - 1)].map((row) => row.id);
    if (gone.length > 0) await trx.deleteFrom('session').where('id', 'in', gone).execute();
    return gone;
  }

  return {
    find,
    list,
    async open(from, replaced, permit) {
      await refresh();
      const secret = mintSecret();
      const created = wall();
      const row: SessionTable = {
        id: hashSecret(secret),
        created,
        last_seen: created,
        expires: created + sessionMs,
        opened_by: from.openedBy,
        user_agent: from.userAgent.slice(0, userAgentKept),
        address: from.address.slice(0, addressKept),
      };
      const outcome = await store.transact(async (trx) => {
        const problem = await permit(trx);
        if (problem !== undefined) return { problem };
        const gone = await makeRoom(
          trx,
          replaced.filter(isSecret).map((cookie) => hashSecret(cookie)),
        );
        await trx.insertInto('session').values(row).execute();
        return { gone };
      });
      if (outcome.gone === undefined) return { problem: outcome.problem };
      forget(outcome.gone);
      memory.held.set(row.id, hold(row));
      return { secret };
    },
    revoke: remove,
    async revokeAll(within) {
      const { numDeletedRows } = await store.transact(async (trx) => {
        await within?.(trx);
        return trx.deleteFrom('session').executeTakeFirstOrThrow();
      });
      forget([...memory.held.keys()]);
      return Number(numDeletedRows);
    },
  };
}

const opened = new WeakMap<Store, Sessions>();

/**
 * The one set of sessions of a store: what one caller revokes, the others know at once. What another process revokes
 * counts from the next turn of the event loop: a request that is sent afterwards is read in a later one.
 */
export function sessionsOf(store: Store): Sessions {
  const sessions = opened.get(store) ?? createSessions(store, systemClocks, oncePerTurn(store.dataVersion));
  opened.set(store, sessions);
  return sessions;
}
