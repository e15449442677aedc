import { setImmediate as nextTurn } from 'node:timers/promises';

import { readSetting } from '#src/server/environment/read-setting.ts';

import type { FlightHead } from '../flight/flight-head.ts';
import { isFailed } from '../flight/is-failed.ts';
import { keepsSuccess, readAppPolicy, readPolicy, type Policy } from '#src/apps/policy.ts';
import { readReceived, type ReceivedFlight } from './read-received.ts';
import { currentWriter } from './recorder.ts';

/**
 * Flights that a proxy elsewhere sends: as flight files, one to a line. All of them are read before the first is kept, so a
 * batch with a line that cannot be read leaves nothing behind. Answered when they are in the file: a sender that gets no answer sends
 * again, and what is there already is not written twice (writer/insert-flight.ts).
 */
export type Receipt =
  /** `left`: what the app's `RECORD` does not keep. */
  | { readonly type: 'stored'; readonly stored: number; readonly left: number }
  | { readonly type: 'malformed'; readonly reason: string }
  /** Too much waits for the disk, or it cannot be written now. */
  | { readonly type: 'busy'; readonly reason: string };

/** A sender collects for some seconds at most. More lines than this are smaller than any flight's facts. */
const linesLimit = 2_000;

function isKept(policy: Policy, head: FlightHead): boolean {
  if (policy.mode === 'off') return false;
  return isFailed(head) || keepsSuccess(policy, head.traceId);
}

async function readLines(text: string, app: string): Promise<ReceivedFlight[] | string> {
  const lines = text.split('\n');
  if (lines.length > linesLimit) return `${lines.length} lines, more than ${linesLimit}`;
  const now = Date.now();
  const flights: ReceivedFlight[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = readReceived(line, app, now);
    if (read.type === 'malformed') return `line ${index + 1}: ${read.reason}`;
    flights.push(read.flight);
    // A line of a megabyte takes some milliseconds: pages are served between two of them.
    await nextTurn();
  }
  return flights;
}

async function store(flights: readonly ReceivedFlight[]): Promise<string | undefined> {
  const writer = currentWriter();
  for (const { head, body } of flights) {
    if (!writer.add(head, body)) return 'too much waits for the disk';
  }
  const isWritten = await writer.flush();
  return isWritten ? undefined : 'they could not be written';
}

/** @param app the one whose key the sender has */
export async function receiveFlights(
  text: string,
  app: { readonly id: string; readonly record: string | undefined; readonly allUntil?: number },
): Promise<Receipt> {
  const read = await readLines(text, app.id);
  if (typeof read === 'string') return { type: 'malformed', reason: read };
  const policy = readAppPolicy(app.record, readPolicy(readSetting), app.allUntil);
  const kept = read.filter(({ head }) => isKept(policy, head));
  const problem = kept.length === 0 ? undefined : await store(kept);
  if (problem !== undefined) return { type: 'busy', reason: problem };
  return { type: 'stored', stored: kept.length, left: read.length - kept.length };
}
