import 'server-only';

import type { Transaction } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { isShared } from '#src/store/lease.ts';
import { isKnownAway } from '#src/store/known-away.ts';
import { readVersionOfTurn, type Store } from '#src/store/open-store.ts';
import { NoAnswer } from '#src/store/postgres/postgres-errors.ts';
import type { SessionTable, Tables } from '#src/store/schema.ts';

import { systemClocks, type Clocks } from './clock.ts';
import { hashSecret, isSecret, mintSecret } from './secret.ts';

/**
 * Who is signed in. A session is a random secret in a cookie and a row under its hash. Nothing in the cookie can be
 * read or forged. Every request looks its session up, so the rows are kept in memory, and read again after another
 * connection wrote to the database. So a session that the command line revokes ends at its next request.
 *
 * Where several servers share the database, `dataVersion` changes when a notification of the table arrives, and is a new number each time
 * when nothing was heard for three seconds. What a server does not find may have been opened on another one a moment ago: it
 * reads the rows before it says no. So it does before it says that a session was idle for too long.
 *
 * How long a session still lasts is counted in memory, on a clock that nobody can set. The times in the database only
 * tell a starting process how much was left, and never give it more than a whole term.
 */
const idleMs = 12 * 60 * 60_000;
export const sessionMs = 14 * 24 * 60 * 60_000;
/** The precision of `last_seen`. Otherwise every request would write. */
const seenEveryMs = 60_000;
/** One operator has a few browsers. Beyond this number, the session that was seen longest ago is removed. */
const sessionsKept = 50;
/** While a shared database does not answer, sessions that were read before it went away are believed for so long from then on. */
const believedMs = 60_000;
/** Enough for the texts that browsers send; they have grown to some 250 characters. */
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
  /** By the steady clock. */
  readonly endsAt: number;
  idleAt: number;
  writtenAt: number;
};

type Memory = {
  /** The version of the database when the rows were read. */
  version: number | undefined;
  /** Counts the writes of this process, which do not change the version. */
  writes: number;
  held: Map<string, Held>;
  /** Since when they could not be read, by the steady clock; undefined when they can be. */
  failingSince: number | undefined;
  /** The hashes of the secrets that were looked up and found: hashing costs more than the rest of a look-up. */
  readonly hashes: Map<string, string>;
};

export type Sessions = {
  /**
   * The live session of a cookie's secret. A look-up counts as seeing it.
   * @throws while a shared database does not answer and memory does not say who it is
   */
  readonly find: (secret: string) => Promise<Session | undefined>;
  /** The live sessions, the last seen first. */
  readonly list: () => Promise<Session[]>;
  /**
   * Opens a session when `permit` allows it, all in one transaction.
   * @param replaced the cookie that the browser had. Its session ends, so that no secret outlives a sign-in
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

function isLive({ endsAt, idleAt }: Held, now: number): boolean {
  return now < endsAt && now < idleAt;
}

/** @returns what runs `refresh` once for all who ask at once, and at most once more. The answer is not older than the question. */
function createTogether(refresh: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined;
  let readingNext: Promise<void> | undefined;

  return function refreshTogether(): Promise<void> {
    if (!reading) {
      reading = refresh().finally(() => (reading = undefined));
      return reading;
    }
    readingNext ??= reading
      .catch(() => undefined)
      .then(() => {
        readingNext = undefined;
        return refreshTogether();
      });
    return readingNext;
  };
}

/** The rows in memory: read anew, believed while the database is away, forgotten when they were deleted. */
function createMemory(store: Store, { wall, steady }: Clocks) {
  const memory: Memory = {
    version: undefined,
    writes: 0,
    held: new Map(),
    failingSince: undefined,
    hashes: new Map(),
  };

  function hold(row: SessionTable): Held {
    const known = memory.held.get(row.id);
    // A session in memory keeps its own deadlines: after the clock was set, the row's times differ.
    const now = wall();
    const at = steady();
    const idleAt = at + clamp(row.last_seen + idleMs - now, idleMs);
    if (known) {
      // Another server has seen it.
      const isSeen = row.last_seen > known.row.last_seen;
      return { ...known, row, idleAt: isSeen ? Math.max(known.idleAt, idleAt) : known.idleAt };
    }
    return { row, endsAt: at + clamp(row.expires - now, sessionMs), idleAt, writtenAt: at };
  }

  /** Also drops the secret's hash of a session that is over, so there are never more hashes here than sessions. */
  function keep(held: Map<string, Held>): void {
    memory.held = held;
    for (const [secret, id] of memory.hashes) if (!held.has(id)) memory.hashes.delete(secret);
  }

  async function refresh(): Promise<void> {
    let writes: number;
    let version: number;
    let rows: SessionTable[];
    do {
      ({ writes } = memory);
      version = store.dataVersion();
      rows = await store.db.selectFrom('session').selectAll().execute();
      // If this process wrote meanwhile, the rows may be older than that write.
    } while (memory.writes !== writes);
    keep(new Map(rows.map((row) => [row.id, hold(row)])));
    memory.version = version;
    memory.failingSince = undefined;
  }

  const refreshTogether = createTogether(refresh);

  /** @returns why the rows could not be read, when those in memory are believed meanwhile */
  async function refreshIfPossible(): Promise<{ readonly reason: unknown } | undefined> {
    try {
      if (isKnownAway(store)) throw new NoAnswer(0);
      await refreshTogether();
      return undefined;
    } catch (error) {
      memory.failingSince ??= steady();
      if (!isShared(store) || steady() - memory.failingSince > believedMs) throw error;
      return { reason: error };
    }
  }

  return {
    memory,
    refresh,
    refreshIfPossible,
    add: (row: SessionTable) => void memory.held.set(row.id, hold(row)),
    /** Called after a write of this process, because the version does not show it. */
    forget(ids: readonly string[]): void {
      memory.writes += 1;
      keep(new Map([...memory.held].filter(([id]) => !ids.includes(id))));
    },
  };
}

/** Writes in the background: no page waits for it, and a full disk must not sign anybody out. */
function write(id: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    writeLog('warn', 'session-not-written', {
      session: id.slice(0, 12),
      reason: describeError(error),
    });
  });
}

/**
 * @param readVersion of the database, for look-ups. `sessionsOf` says why it may be read less often than the store's
 */
export function createSessions(
  store: Store,
  clocks: Clocks = systemClocks,
  readVersion: () => number = store.dataVersion,
): Sessions {
  const { wall, steady } = clocks;
  const { memory, refresh, refreshIfPossible, add, forget } = createMemory(store, clocks);

  async function remove(ids: readonly string[]): Promise<number> {
    const { numDeletedRows } = await store.db.deleteFrom('session').where('id', 'in', ids).executeTakeFirstOrThrow();
    forget(ids);
    return Number(numDeletedRows);
  }

  function see(held: Held, at: number): void {
    held.idleAt = at + idleMs;
    if (at - held.writtenAt < seenEveryMs) return;
    held.writtenAt = at;
    const { id } = held.row;
    const seen = wall();
    held.row = { ...held.row, last_seen: seen };
    const update = store.db.updateTable('session').set({ last_seen: seen }).where('id', '=', id);
    // Over several connections an earlier write may arrive later.
    write(id, (isShared(store) ? update.where('last_seen', '<', seen) : update).execute());
  }

  async function find(secret: string): Promise<Session | undefined> {
    if (!isSecret(secret)) return undefined;
    let failure = memory.version === readVersion() ? undefined : await refreshIfPossible();
    const id = memory.hashes.get(secret) ?? hashSecret(secret);
    const known = memory.held.get(id);
    if (isShared(store) && !(known && isLive(known, steady()))) failure = await refreshIfPossible();
    const held = memory.held.get(id);
    // It may have been opened or used on another server: nobody can know.
    if (failure && !(held && isLive(held, steady()))) throw failure.reason;
    if (!held) return undefined;
    memory.hashes.set(secret, id);
    const at = steady();
    if (!isLive(held, at)) {
      // Removed from the database too. Otherwise, after a clock is set back, it would live again at the next start.
      write(held.row.id, remove([held.row.id]));
      return undefined;
    }
    see(held, at);
    return toSession(held.row);
  }

  async function list(): Promise<Session[]> {
    await refresh();
    return [...memory.held.values()]
      .filter((held) => isLive(held, steady()))
      .map(({ row }) => toSession(row))
      .sort((a, b) => b.lastSeen - a.lastSeen);
  }

  async function makeRoom(trx: Transaction<Tables>, replaced: readonly string[]): Promise<string[]> {
    const rows = await trx.selectFrom('session').selectAll().orderBy('last_seen', 'desc').execute();
    const stale = rows.filter((row) => {
      const held = memory.held.get(row.id);
      return replaced.includes(row.id) || (held ? !isLive(held, steady()) : row.expires <= wall());
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
      add(row);
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
 * counts from the next turn of the event loop. A request that is sent afterwards is read in a later turn.
 */
export function sessionsOf(store: Store): Sessions {
  const sessions = opened.get(store) ?? createSessions(store, systemClocks, () => readVersionOfTurn(store));
  opened.set(store, sessions);
  return sessions;
}
