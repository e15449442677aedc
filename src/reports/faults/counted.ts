import 'server-only';

import { sql } from 'kysely';

type Counts = { readonly count: number; readonly claims: number };

/**
 * What a fault's number is: its occurrences on servers, once a server has said it; else the reports of browsers. A browser's report of
 * an error that a server has told is no other occurrence, and anybody can post one: so reports are never added to occurrences, but
 * stand beside them, marked as claims. Whatever counts a fault, in a list, a chart or an order, counts this.
 */
export function countOccurrences({ count, claims }: Counts): number {
  return count === 0 ? claims : count;
}

/** Whose rows are the occurrences that count. */
export function countedSide({ count }: Pick<Counts, 'count'>): 'server' | 'browser' {
  return count === 0 ? 'browser' : 'server';
}

/** The same of the table `fault`, to sort by. */
export const faultCounted = sql<number>`case when fault.count = 0 then fault.claims else fault.count end`;

/** The same of a row of `fault_hour`: which of its two numbers counts is up to the whole fault, whose row is joined. */
export const hourCounted = sql<number>`case when fault.count = 0 then fault_hour.claims else fault_hour.count end`;
