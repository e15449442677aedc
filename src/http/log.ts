import { toPlainJson } from './escape-text.ts';
import { currentRequest } from './request-context.ts';

export type LogFields = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/**
 * One event, one JSON line: errors and refusals to standard error, the rest to standard output. The operator greps these
 * lines for a digest, so nothing else may write multi-line text to either stream, and characters that a terminal acts on
 * are escaped. A line that belongs to a request carries the request's id, and so does its answer.
 */
export function writeLog(level: 'info' | 'warn' | 'error', event: string, fields: LogFields = {}): void {
  const requestId = currentRequest()?.id;
  const line = `${toPlainJson({ time: new Date().toISOString(), level, event, requestId, ...fields })}\n`;
  if (level === 'info') process.stdout.write(line);
  else process.stderr.write(line);
}
