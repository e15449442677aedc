import { formatCount } from '#flight';

import { nextPage } from './outline.ts';

/** What a line of hidden members says: `8,000 more: show 1,000`. */
export function describeMore(hidden: number): string {
  const count = formatCount(hidden);
  return hidden <= nextPage ? `${count} more: show them` : `${count} more: show ${formatCount(nextPage)}`;
}
