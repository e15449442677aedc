import { readRecordIn, readStoredRecord, type StoredRecord } from '#src/apps/read-stored-record.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { readAppPolicy, readPolicy, type Policy } from '#src/apps/policy.ts';

import { readVariable } from '#src/server/environment/variables.ts';

/**
 * What is recorded of the app in front of which this process stands: by the app's own setting, else by `RECORD`, else everything
 * where only this machine reaches it and failures elsewhere. The operator may change the setting meanwhile, or delete the app.
 */
export type FollowedPolicy = {
  readonly read: () => Policy;
  /** Where the app has no setting. */
  readonly readUnset: () => Policy;
  /** Others reach the app after all, through a proxy on this machine. @returns whether less is recorded from now on */
  readonly noteOthers: () => boolean;
  readonly stop: () => void;
};

/** Soon enough for a person who has just changed it. A look takes a third of a millisecond. */
const lookEveryMs = 2_000;

type Followed = {
  readonly folder: string;
  readonly app: string;
  /** On which address the app is reached. */
  readonly host: string;
  readonly onDeleted: () => void;
};

/** `BASE_URL` is the app's own here: where people reach it, when another proxy stands in front. */
function chooseDefault(host: string): Policy {
  const baseUrl = URL.parse(readVariable('BASE_URL') ?? '') ?? undefined;
  return readPolicy(readSetting, { hostname: host, baseUrl });
}

/** As where it listens on every address. */
const anyHost = '0.0.0.0';

/**
 * Where the recorder is elsewhere, which applies the app's own setting to what it gets.
 * @throws with one line when `RECORD` cannot be understood
 */
export function fixPolicy(host: string): FollowedPolicy {
  let policy = chooseDefault(host);
  return {
    read: () => policy,
    readUnset: () => policy,
    noteOthers() {
      const before = policy;
      policy = chooseDefault(anyHost);
      return policy.mode !== before.mode;
    },
    stop() {},
  };
}

/** What was read last counts until something else is read. */
function createPolicy({ host, onDeleted }: Omit<Followed, 'folder'>) {
  let unset = chooseDefault(host);
  let policy = unset;
  let last: StoredRecord | undefined;
  let isDeleted = false;

  function take(stored: StoredRecord): void {
    switch (stored.type) {
      case 'known':
        last = stored;
        policy = readAppPolicy(stored.record, unset, stored.allUntil);
        isDeleted = false;
        return;
      case 'deleted':
        last = stored;
        policy = { mode: 'off' };
        if (!isDeleted) onDeleted();
        isDeleted = true;
        return;
      case 'unreadable':
        return;
    }
  }

  function noteOthers(): boolean {
    const before = policy;
    unset = chooseDefault(anyHost);
    if (last) take(last);
    else policy = unset;
    return policy.mode !== before.mode;
  }

  return { read: () => policy, readUnset: () => unset, take, noteOthers };
}

/** @throws with one line when `RECORD` cannot be understood */
export function followPolicy(followed: Followed): FollowedPolicy {
  const { folder, app } = followed;
  const { read, readUnset, take, noteOthers } = createPolicy(followed);
  take(readStoredRecord(folder, app));
  const timer = setInterval(() => take(readStoredRecord(folder, app)), lookEveryMs).unref();
  return { read, readUnset, noteOthers, stop: () => clearInterval(timer) };
}

/**
 * The same where the app is known in PostgreSQL. It resolves when the setting was read, or could not be.
 * @throws as `followPolicy`
 */
export async function followPolicyIn(url: string, followed: Omit<Followed, 'folder'>): Promise<FollowedPolicy> {
  const { app } = followed;
  const { read, readUnset, take, noteOthers } = createPolicy(followed);
  const { openPool } = await import('#src/store/postgres/open-pool.ts');
  const pool = openPool(url, { most: 1, purpose: 'policy' });
  take(await readRecordIn(pool, app));
  let isAsking = false;
  async function look(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    take(await readRecordIn(pool, app));
    isAsking = false;
  }
  const timer = setInterval(() => void look(), lookEveryMs).unref();
  return {
    read,
    readUnset,
    noteOthers,
    stop() {
      clearInterval(timer);
      void pool.end();
    },
  };
}
