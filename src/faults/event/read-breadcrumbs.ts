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

type Placed = { readonly crumb: JsonRecord; readonly time: number; readonly isUntimed: boolean };

function readBreadcrumb({ crumb, time, isUntimed }: Placed, budget: TextBudget): EventBreadcrumb {
  return {
    time,
    ...(isUntimed ? { isUntimed } : {}),
    category: budget.scrub(asText(crumb['category'] ?? crumb['type'], limits.category) ?? '', limits.category),
    level: toLevel(crumb['level']),
    message: budget.scrub(asText(crumb['message'], limits.message) ?? '', limits.message),
    data: scrubData(crumb['data'], budget.scrub),
  };
}

function saysSomething({ timestamp, message, category, type, data }: JsonRecord): boolean {
  return readTime(timestamp) !== undefined || [message, category, type, data].some(Boolean);
}

/** One without a time stays in its place: it gets the time of the one before it, or of the first that has one, or the event's. */
function placeInTime(crumbs: readonly JsonRecord[], eventTime: number): Placed[] {
  const times = crumbs.map((crumb) => readTime(crumb['timestamp']));
  let before = times.find((time) => time !== undefined) ?? eventTime;
  return crumbs.map((crumb, index) => {
    const own = times[index];
    before = own ?? before;
    return { crumb, time: before, isUntimed: own === undefined };
  });
}

/**
 * Oldest first, by the sender's clock. Read newest first, until the budget is used up: the newest tell more about the error
 * than the older ones.
 */
export function readEventBreadcrumbs(event: JsonRecord, budget: TextBudget): readonly EventBreadcrumb[] {
  const newest = readValues(event['breadcrumbs']).filter(saysSomething).slice(-runtimeSettings.breadcrumbsKept);
  const placed = placeInTime(newest, readTime(event['timestamp']) ?? Date.now()).sort((a, b) => a.time - b.time);
  const kept: EventBreadcrumb[] = [];
  for (const one of placed.toReversed()) {
    if (budget.isUsedUp()) break;
    kept.push(readBreadcrumb(one, budget));
  }
  return kept.toReversed();
}
