/** What was thrown, in one line for a log or a terminal: what other code throws need not be an error. */
export function describeError(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
