/**
 * What was not kept, counted by reason since the process started, so that a recording with gaps says so. What an operator
 * deletes is not counted.
 * `memory`: too much was waiting for the disk. `disk`: it could not be written. `thread`: the writer ended early.
 * `usage`: a browser's note about its prefetches was lost. `database`: PostgreSQL did not take it, for longer than it could wait.
 * `unreadable`: it could not be described or written, and the others of its batch could.
 */
export const dropReasons = ['memory', 'disk', 'thread', 'usage', 'database', 'unreadable'] as const;
export type DropReason = (typeof dropReasons)[number];

export type Drops = { readonly count: (reason: DropReason, flights: number) => void; readonly read: () => DropCounts };
export type DropCounts = Readonly<Record<DropReason, number>>;

/** What a process could not keep of an app in front of which it is, since it last said so. */
export type Loss = {
  readonly app: string;
  readonly reason: DropReason;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly time: number;
};

export function createDrops(): Drops {
  const counts: Record<DropReason, number> = { memory: 0, disk: 0, thread: 0, usage: 0, database: 0, unreadable: 0 };
  return {
    count(reason, flights) {
      counts[reason] += flights;
    },
    read: () => ({ ...counts }),
  };
}
