/** SQLite's result codes (https://sqlite.org/rescode.html), as node:sqlite puts them on its errors. */

/** SQLITE_CORRUPT and SQLITE_NOTADB: the file's content is wrong, as opposed to a file that cannot be reached. */
const damageCodes = new Set([11, 26]);

/** The extended result code; 0 when `error` is not SQLite's. Its lowest eight bits are the primary code. */
export function readSqliteCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode : 0;
}

/** True when SQLite says that what it read is not a sound database. */
export function isDamage(error: unknown): error is Error {
  return damageCodes.has(readSqliteCode(error) & 0xff);
}

/**
 * SQLITE_CANTOPEN and SQLITE_READONLY: what a read-only connection meets while another process begins or ends its own, as the log and
 * its index appear or go between two looks at them. A moment later the file opens.
 */
const passingCodes = new Set([8, 14]);

/** True when a read-only connection may open the same file a moment later. */
export function mayPass(error: unknown): boolean {
  return passingCodes.has(readSqliteCode(error) & 0xff);
}
