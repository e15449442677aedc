import { reports } from 'virtual:flight-recorder/options';

import { loadLate, readLate } from './late.ts';

/** An error, as it is known before the module is there that reports it. */
export type EarlyError = {
  readonly error: unknown;
  readonly mechanism: 'caught' | 'uncaught' | 'recoverable' | 'window' | 'promise';
  readonly componentStack: string | undefined;
  /** Milliseconds since 1970. */
  readonly time: number;
};

/** An error in a loop must not grow the page. The first ones show the cause. */
const keptAtMost = 20;
const waiting: EarlyError[] = [];
let latest: unknown;

/** React tells the window of an error that it has just told us of: the same value in the same task is one error. */
export function report(error: unknown, mechanism: EarlyError['mechanism'], componentStack?: string): void {
  if (!reports) return;
  if (mechanism === 'window' && error === latest) return;
  latest = error;
  queueMicrotask(() => (latest = undefined));
  waiting.push({ error, mechanism, componentStack, time: Date.now() });
  waiting.length = Math.min(waiting.length, keptAtMost);
  flush();
}

function flush(): void {
  const late = readLate();
  if (!late) void loadLate().then(() => readLate() && flush());
  else for (const early of waiting.splice(0)) late.reportError(early);
}

/** Errors that React does not see. From before hydration on, so that none of its errors is lost. */
export function listenForErrors(): void {
  addEventListener('error', (event) => report(event.error ?? event.message, 'window'));
  addEventListener('unhandledrejection', (event) => report(event.reason, 'promise'));
}
