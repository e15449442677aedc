import { readStoredRecord } from '#src/apps/read-stored-record.ts';
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

/** @throws with one line when `RECORD` cannot be understood */
export function followPolicy({ folder, app, host, onDeleted }: Followed): FollowedPolicy {
  const unset = chooseDefault(host);
  let policy = unset;
  let isDeleted = false;

  function look(): void {
    const stored = readStoredRecord(folder, app);
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

  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return { read: () => policy, stop: () => clearInterval(timer) };
}
