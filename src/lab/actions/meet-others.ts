'use server';

import { meet } from './meeting.ts';
import { toVisitorKey } from './visitor-key.ts';

/** @returns how many calls were on the server at once */
export async function meetOthers(key: unknown): Promise<number> {
  return meet(toVisitorKey(key));
}
