import { CompiledQuery, type Kysely } from 'kysely';

import type { Tables } from '../schema.ts';

/**
 * What the store is asked for at any moment and cannot ask the server for each time: how much is kept, and whether another
 * instance has changed what is held in memory. The first comes with each commit of this instance, in the same round trip, so who
 * deletes until there is room sees what it has deleted. Both are asked for twice a second, for what others do.
 *
 * How much is kept is computed from the counters of `kept_app`: the texts, and for each row what it takes besides. The files of
 * PostgreSQL do not tell: what was deleted stays in them as room for new rows.
 */
export type Figures = {
  readonly bytes: () => number;
  readonly version: () => number;
  /** For the driver: what it asks at the end of each transaction that wrote. */
  readonly afterWrite: AfterWrite;
  /** Asks now, and again and again until what it resolves to is called. */
  readonly follow: (db: Kysely<Tables>) => Promise<() => Promise<void>>;
};

export type AfterWrite = { readonly text: string; readonly note: (row: unknown) => void };

/** A session that was revoked elsewhere is over within this time. */
const askEveryMs = 500;
/** What a row takes besides its texts, with its entries in the indexes and in the search. A fault has its hashes, hours and turns. */
const rowBytes = 1_024;
const faultBytes = 4_096;

const text = `select coalesce(sum(bytes + rows * case when side like 'event-%' then ${rowBytes} else ${faultBytes} end), 0) as bytes,
  (select version from data_version) as version from kept_app`;

type Row = { readonly bytes: number; readonly version: number };

function isRow(row: unknown): row is Row {
  return typeof row === 'object' && row !== null && 'bytes' in row && typeof row.bytes === 'number' && 'version' in row;
}

export function createFigures(): Figures {
  let last: Row = { bytes: 0, version: 0 };
  function note(row: unknown): void {
    if (isRow(row)) last = row;
  }
  return {
    bytes: () => last.bytes,
    version: () => last.version,
    afterWrite: { text, note },
    async follow(db) {
      let asking: Promise<void> | undefined;
      async function ask(): Promise<void> {
        try {
          const { rows } = await db.executeQuery(CompiledQuery.raw(text));
          note(rows[0]);
        } catch {
          // The server is gone for a while. What is known stays, and it is asked again.
        } finally {
          asking = undefined;
        }
      }
      await ask();
      const timer = setInterval(() => (asking ??= ask()), askEveryMs);
      timer.unref();
      return async () => {
        clearInterval(timer);
        await asking;
      };
    },
  };
}
