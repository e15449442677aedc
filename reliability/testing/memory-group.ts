import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A control group with a limit of memory, like a container or a unit's `MemoryMax`: the system ends a process that
 * takes more, and the server knows its limit. Making one needs root, and a system that allows it.
 */
export type MemoryGroup = {
  /** Node options for the child: the process joins the group before any other code of it runs. */
  readonly nodeOptions: readonly string[];
  /** Call it when the process has ended. */
  readonly remove: () => void;
};

const roots = [
  { folder: '/sys/fs/cgroup/memory', limitFile: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limitFile: 'memory.max' },
] as const;

/** Undefined when none can be made. */
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
      // Not root, or the groups belong to another part of the system: the test says that it ran without a group.
      continue;
    }
    const join = `import { writeFileSync } from 'node:fs'; writeFileSync('${group}/cgroup.procs', String(process.pid));`;
    return { nodeOptions: ['--import', `data:text/javascript,${join}`], remove: () => rmdirSync(group) };
  }
  return undefined;
}
