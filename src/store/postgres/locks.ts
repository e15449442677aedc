/**
 * Advisory locks of PostgreSQL, by their numbers. They belong to the database, so all instances share them, and nobody else
 * who uses this database is likely to take the same numbers.
 */
export const locks = {
  /** Whoever writes in a transaction holds it until the transaction ends: one writer at a time, as in SQLite (decision 053). */
  write: 7_345_771_001,
  /** `move` holds it for as long as it runs. Whoever opens the database asks whether it is free, and goes away when it is not. */
  move: 7_345_771_002,
} as const;
