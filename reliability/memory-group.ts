import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A control group with a limit of memory, as a container or a unit's `MemoryMax` is one: the system ends a process that
 * takes more, and the server knows its limit. Making one takes root, and a system that lets it.
 */
export type MemoryGroup = {
  /** For Node, before the script: the process joins the group before anything else of it runs. */
  readonly nodeOptions: readonly string[];
  /** When the process has ended. */
  readonly remove: () => void;
};

const roots = [
  { folder: '/sys/fs/cgroup/memory', limitFile: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limitFile: 'memory.max' },
] as const;

/** Undefined where none can be made. */
export function createMemoryGroup(limitBytes: number): MemoryGroup | undefined {
  for (const { folder, limitFile } of roots) {
    const group = path.join(folder, `flight-recorder-${process.pid}`);
    try {
      if (!existsSync(folder)) continue;
      mkdirSync(group);
      if (!existsSync(path.join(group, limitFile))) {
        rmdirSync(group);
        continue;
      }
      writeFileSync(path.join(group, limitFile), String(limitBytes));
    } catch {
      // Not root, or a system whose groups are somebody else's: the test says that it ran without.
      continue;
    }
    const join = `import { writeFileSync } from 'node:fs'; writeFileSync('${group}/cgroup.procs', String(process.pid));`;
    return { nodeOptions: ['--import', `data:text/javascript,${join}`], remove: () => rmdirSync(group) };
  }
  return undefined;
}
