import { isDamage } from '#src/store/sqlite-errors.ts';
import { describeError } from '#boundary';

import type { FlightWriter } from './flight-writer.ts';
import type { Spool } from './ship-flights.ts';
import { createFlightWriter, type SqliteWriterOptions } from './sqlite-writer.ts';

/** The file of flights in the data folder. It can also be read back: what goes elsewhere waits in such a file. */
export function openSqliteWriter(options: SqliteWriterOptions): FlightWriter & Spool {
  const { followFile, isInode, replace, ...writer } = createFlightWriter(options);

  function replaceDamaged(reason: string): void {
    replace();
    options.onDamage(reason);
  }

  return {
    ...writer,
    prepare: followFile,
    recover(error) {
      if (isDamage(error)) replaceDamaged(describeError(error));
    },
    replaceDamaged(inode) {
      if (isInode(inode)) replaceDamaged('reading met damage');
    },
    lossReason: 'disk',
  };
}
