/** A server that takes no writes: a standby, or a primary that was told so. */
export class ReadOnlyServer extends Error {}

/** A server that says nothing: its machine hangs, or the way to it. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`no answer in ${Math.round(ms / 100) / 10} s`);
  }
}

/** PostgreSQL's five characters (`23505`), or the system's name for what failed (`ECONNREFUSED`). */
export function readPostgresCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The server stops, starts, has no connection left or takes no writes: 08 is a connection's error, 57P an operator's, 53300 too
 * many connections, 25006 a write to a standby.
 */
const goneCodes = /^(?:08...|57P0[1-5]|53300|25006|E[A-Z]{4,})$/;
/** `pg`'s own, which have no code. */
const goneMessages =
  /^(?:Connection terminated|Client has encountered a connection error|timeout expired|Query read timeout|timeout exceeded when trying to connect)/;

/** Whether the same may succeed later, since the server could not be asked. What was being committed may be committed. */
export function isDatabaseGone(error: unknown): boolean {
  if (error instanceof ReadOnlyServer || error instanceof NoAnswer) return true;
  if (!(error instanceof Error)) return false;
  const code = readPostgresCode(error);
  if (code === undefined ? goneMessages.test(error.message) : goneCodes.test(code)) return true;
  // Node tries both addresses of `localhost` and reports both errors.
  if (error instanceof AggregateError && error.errors.some(isDatabaseGone)) return true;
  return isDatabaseGone(error.cause);
}
