import { addOthers } from '#src/store/other-counts.ts';

import type { DropCounts } from '../flight/drops.ts';

/** What was not kept by all servers on this database. @param own by this process */
export function addDropsOfOthers(own: DropCounts): DropCounts {
  return {
    memory: addOthers('dropped-memory', own.memory),
    disk: addOthers('dropped-disk', own.disk),
    thread: addOthers('dropped-thread', own.thread),
    database: addOthers('dropped-database', own.database),
    unreadable: addOthers('dropped-unreadable', own.unreadable),
    usage: addOthers('dropped-usage', own.usage),
  };
}
