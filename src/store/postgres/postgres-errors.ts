/** A server that takes no writes: a standby, or a primary that was told so. */
export class ReadOnlyServer extends Error {}

/** A server that says nothing: its machine hangs, or the way to it. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`no answer in ${Math.round(ms / 100) / 10} s`);
  }
}

/** No connection could be made: a wrong password, a database that is not there, a certificate. Its cause is the server's error. */
export class NotConnected extends Error {}

/** All connections of the pool stayed in use. That says nothing of the server. */
export class NoPlace extends Error {
  constructor() {
    super('no connection to the database became free in time');
  }
}

/** PostgreSQL's five characters (`23505`), or the system's name for what failed (`ECONNREFUSED`). */
export function readPostgresCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The server stops, starts, has no connection left or takes no writes: 08 is a connection's error, 57P an operator's, 53300 too
 * many connections, 25006 a write to a standby. `EAI_AGAIN` is a name that cannot be looked up now; Node's `ERR_…` are other things.
 */
const goneCodes = /^(?:08...|57P0[1-5]|53300|25006|E(?!RR_)[A-Z_]{4,})$/;
/** `pg`'s own, which have no code. */
const goneMessages =
  /^(?:Connection terminated|Client has encountered a connection error|timeout expired|Query read timeout)/;

/** Whether `is` says so of the error, of what caused it, or of one of several: Node tries both addresses of `localhost`. */
function anyOf(error: unknown, is: (error: Error) => boolean): error is Error {
  if (!(error instanceof Error)) return false;
  if (is(error) || anyOf(error.cause, is)) return true;
  return error instanceof AggregateError && error.errors.some((one) => anyOf(one, is));
}

function isSign(error: Error): boolean {
  if (error instanceof ReadOnlyServer || error instanceof NoAnswer) return true;
  const code = readPostgresCode(error);
  return code === undefined ? goneMessages.test(error.message) : goneCodes.test(code);
}

/** Whether the error itself says that the server is not there at the moment, and may come by itself. For who waits for its start. */
export function isOfServer(error: unknown): error is Error {
  return anyOf(error, isSign);
}

/**
 * Whether the same may succeed later, since the server could not be asked. What was being committed may be committed. While a server
 * of ours runs, its address and password were right: who cannot connect any more is away from the database, whatever the reason.
 */
export function isDatabaseGone(error: unknown): error is Error {
  return anyOf(error, (one) => isSign(one) || one instanceof NotConnected);
}

/** Whether nobody could ask the server: it is gone, or all connections stayed in use. For who can say what was known before. */
export function isNotAsked(error: unknown): error is Error {
  return anyOf(error, (one) => one instanceof NoPlace) || isDatabaseGone(error);
}
