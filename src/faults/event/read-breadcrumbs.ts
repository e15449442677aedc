import 'server-only';

import { runtimeSettings } from '#src/runtime/settings.ts';

import type { Breadcrumb } from '../kept/error-details.ts';
import { scrubData } from '../scrubbing/scrub.ts';
import { toLevel } from '../kept/stored-json.ts';
import type { TextBudget } from '../receive/text-budget.ts';
import { asText, type JsonRecord } from '../receive/untrusted-json.ts';
import { readTime, readValues } from './event-values.ts';

/** The receiver sets `side`. */
export type EventBreadcrumb = Omit<Breadcrumb, 'side'>;

const limits = { category: 64, message: 512 } as const;

function readBreadcrumb(crumb: JsonRecord, time: number, budget: TextBudget): EventBreadcrumb {
  return {
    time,
    category: budget.scrub(asText(crumb['category'] ?? crumb['type'], limits.category) ?? '', limits.category),
    level: toLevel(crumb['level']),
    message: budget.scrub(asText(crumb['message'], limits.message) ?? '', limits.message),
    data: scrubData(crumb['data'], budget.scrub),
  };
}

/**
 * Oldest first, by the sender's clock. Read newest first, until the budget is used up: the newest tell more about the error
 * than the older ones.
 */
export function readEventBreadcrumbs(event: JsonRecord, budget: TextBudget): readonly EventBreadcrumb[] {
  const timed = readValues(event['breadcrumbs'])
    .slice(-runtimeSettings.breadcrumbsKept)
    .flatMap((crumb) => {
      const time = readTime(crumb['timestamp']);
      return time === undefined ? [] : [{ crumb, time }];
    })
    .sort((a, b) => a.time - b.time);
  const kept: EventBreadcrumb[] = [];
  for (const { crumb, time } of timed.toReversed()) {
    if (budget.isUsedUp()) break;
    kept.push(readBreadcrumb(crumb, time, budget));
  }
  return kept.toReversed();
}
