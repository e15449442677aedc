import 'server-only';

import { describeError } from '#boundary';
import type { RecorderAddress } from '#report/recorder-url.ts';
import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { writeLog } from '#src/server/http/log.ts';

import { relayRefused } from './relay-report.ts';

/** A flood is told in few messages. */
const tellEveryMs = 5_000;

/**
 * Counts what a process in front of an app refuses of the app's browsers, and tells the recorder, whose pages say what was refused. A
 * recorder that is away is told later.
 * @returns to be called for each
 */
export function createRefusedTeller(readRecorder: () => RecorderAddress | undefined): (code: ErrorCode) => void {
  let counts = new Map<ErrorCode, number>();
  let timer: NodeJS.Timeout | undefined;

  function add(code: ErrorCode, count: number): void {
    counts.set(code, (counts.get(code) ?? 0) + count);
    timer ??= setTimeout(() => void tell(), tellEveryMs).unref();
  }

  async function tell(): Promise<void> {
    const told = counts;
    counts = new Map();
    timer = undefined;
    let isTaken = false;
    try {
      isTaken = await relayRefused(readRecorder(), told);
    } catch (error) {
      writeLog('warn', 'refused-not-told', { reason: describeError(error) });
    }
    if (!isTaken) for (const [code, count] of told) add(code, count);
  }

  return (code) => add(code, 1);
}
