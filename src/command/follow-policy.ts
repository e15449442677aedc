import { readRecordIn, readStoredRecord, type StoredRecord } from '#src/apps/read-stored-record.ts';
import { readSetting } from '#src/environment/read-setting.ts';
import { readAppPolicy, readPolicy, type Policy } from '#src/recorder/policy.ts';

import { readVariable } from './variables.ts';

/**
 * What is recorded of the app in front of which this process stands: by the app's own setting, else by `RECORD`, else everything
 * where only this machine reaches it and failures elsewhere. The operator may change the setting meanwhile, or delete the app.
 */
export type FollowedPolicy = { readonly read: () => Policy; readonly stop: () => void };

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

/**
 * Where the recorder is elsewhere, which applies the app's own setting to what it gets.
 * @throws with one line when `RECORD` cannot be understood
 */
export function fixPolicy(host: string): FollowedPolicy {
  const policy = chooseDefault(host);
  return { read: () => policy, stop() {} };
}

/** What was read last counts until something else is read. */
function createPolicy({ host, onDeleted }: Omit<Followed, 'folder'>) {
  const unset = chooseDefault(host);
  let policy = unset;
  let isDeleted = false;

  function take(stored: StoredRecord): void {
    switch (stored.type) {
      case 'known':
        policy = readAppPolicy(stored.record, unset, stored.allUntil);
        isDeleted = false;
        return;
      case 'deleted':
        policy = { mode: 'off' };
        if (!isDeleted) onDeleted();
        isDeleted = true;
        return;
      case 'unreadable':
        return;
    }
  }

  return { read: () => policy, take };
}

/** @throws with one line when `RECORD` cannot be understood */
export function followPolicy(followed: Followed): FollowedPolicy {
  const { folder, app } = followed;
  const { read, take } = createPolicy(followed);
  take(readStoredRecord(folder, app));
  const timer = setInterval(() => take(readStoredRecord(folder, app)), lookEveryMs).unref();
  return { read, stop: () => clearInterval(timer) };
}

/**
 * The same where the app is known in PostgreSQL. It resolves when the setting was read, or could not be.
 * @throws as `followPolicy`
 */
export async function followPolicyIn(url: string, followed: Omit<Followed, 'folder'>): Promise<FollowedPolicy> {
  const { app } = followed;
  const { read, take } = createPolicy(followed);
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
    stop() {
      clearInterval(timer);
      void pool.end();
    },
  };
}
