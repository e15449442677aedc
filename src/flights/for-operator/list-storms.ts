import 'server-only';

import { readSetting } from '#src/server/environment/read-setting.ts';

import { listStormsIn } from '../recorder/storm-totals.ts';
import type { StoredStorm } from '../flight/storm.ts';
import { projectMonth, type StormMonth } from './project-month.ts';
import { readForOperator } from './read-for-operator.ts';

export type ListedStorm = StoredStorm & { readonly month: StormMonth };

/** @param app undefined: of all @returns the newest first */
export function listStorms(app: string | undefined): Promise<ListedStorm[]> {
  const prices = {
    ofMillion: readSetting('PRICE_PER_MILLION_REQUESTS'),
    ofGigabyte: readSetting('PRICE_PER_GB'),
  };
  return readForOperator([], async (db) => {
    const storms = await listStormsIn(db, app);
    return storms.map((storm) => ({ ...storm, month: projectMonth(storm, prices) }));
  });
}
