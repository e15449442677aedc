import { toPlainJson } from '#boundary';
import { currentRequest } from './request-context.ts';

export type LogFields = Record<string, string | number | boolean | null | undefined | readonly string[]>;
export type LogLevel = 'info' | 'warn' | 'error';
export type WriteLog = (level: LogLevel, event: string, fields: LogFields) => void;

/** On `globalThis`: an app's server has this module in several bundles, and they write to one terminal. */
declare global {
  var __FLIGHT_LOG__: WriteLog | undefined;
}

/** Inside somebody else's app, whose output is not for lines of JSON. @returns a function that takes it back */
export function replaceLog(write: WriteLog): () => void {
  globalThis.__FLIGHT_LOG__ = write;
  return () => {
    if (globalThis.__FLIGHT_LOG__ === write) globalThis.__FLIGHT_LOG__ = undefined;
  };
}

/**
 * One event, one JSON line: errors and refusals to standard error, the rest to standard output. The operator greps these
 * lines for a digest, so nothing else may write multi-line text to either stream, and characters that a terminal acts on
 * are escaped. A line that belongs to a request carries the request's id, and so does its answer.
 */
export function writeLog(level: LogLevel, event: string, fields: LogFields = {}): void {
  if (globalThis.__FLIGHT_LOG__) return globalThis.__FLIGHT_LOG__(level, event, fields);
  const requestId = currentRequest()?.id;
  const line = `${toPlainJson({ time: new Date().toISOString(), level, event, requestId, ...fields })}\n`;
  if (level === 'info') process.stdout.write(line);
  else process.stderr.write(line);
}
