/** Columns as SQLite compares them: each `text` of a statement is told to compare bytes, whatever the order of the database is. */
export function asBytes(columns: string): string {
  return columns.replaceAll(/ text\b/g, ' text collate "C"');
}
