import 'server-only';

import { sql } from 'kysely';

type Counts = { readonly count: number; readonly untrusted: number };

/**
 * What a fault's number is: its errors on servers, once a server has said it; else the errors of browsers. A browser's error of
 * an error that a server has told is no other error, and anybody can post one: so untrusted errors are never added to errors, but
 * stand beside them, marked as untrusted. Whatever counts a fault, in a list, a chart or an order, counts this.
 */
export function countErrors({ count, untrusted }: Counts): number {
  return count === 0 ? untrusted : count;
}

/** Whose rows are the errors that count. */
export function countedSide({ count }: Pick<Counts, 'count'>): 'server' | 'browser' {
  return count === 0 ? 'browser' : 'server';
}

/** The same of the table `fault`, to sort by. */
export const faultCounted = sql<number>`case when fault.count = 0 then fault.untrusted else fault.count end`;

/** The same of a row of `fault_hour`: which of its two numbers counts is up to the whole fault, whose row is joined. */
export const hourCounted = sql<number>`case when fault.count = 0 then fault_hour.untrusted else fault_hour.count end`;
