import type { Growth } from '../compare-command/compare-arguments.ts';
import { allowGrowth } from '../compare-command/describe-route.ts';

import type { Base } from './read-base.ts';
import type { Limits } from './read-budget.ts';

/** What a figure may be at most; and, where that is so much more than a base has, what it is made of. */
export type Figure = {
  readonly most: number;
  readonly taken?: { readonly from: number; readonly growth: Growth };
};

export type Figures = Pick<Limits, 'noSecrets'> & {
  readonly [Name in 'bytes' | 'gzip' | 'duplicates' | 'clientModules']: Figure | undefined;
};

/** @param from what the base has of it; undefined where nothing but passing things differs, which is no growth */
function take(limit: number | Growth | undefined, from: number | undefined): Figure | undefined {
  if (limit === undefined) return undefined;
  if (typeof limit === 'number') return { most: limit };
  if (from === undefined) return undefined;
  return { most: Math.floor(from + allowGrowth(from, limit)), taken: { from, growth: limit } };
}

/** @param base there when a limit is a growth: `readBudget` sees to it */
export function takeLimits(limits: Limits, base: Base | undefined): Figures {
  const from = base && !base.isSame ? base.measured : undefined;
  return {
    bytes: take(limits.bytes, from?.bytes),
    gzip: take(limits.gzip, from?.gzip),
    duplicates: take(limits.duplicates, from?.duplicates),
    clientModules: take(limits.clientModules, from?.modules.length),
    noSecrets: limits.noSecrets,
  };
}
