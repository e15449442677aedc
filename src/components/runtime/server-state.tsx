import { formatBytes, formatDuration } from '#flight';
import { version as reactVersion } from 'react';
import { version as wakuVersion } from 'waku/package.json';

import { Facts } from '#src/components/facts.tsx';

/**
 * Reading it takes the system 40 microseconds, a thirtieth of the page, and a value that is a second old is new enough.
 */
const memoryKeptMs = 1_000;
let memory: { readonly readAt: number; readonly usage: NodeJS.MemoryUsage } | undefined;

function readMemory(): NodeJS.MemoryUsage {
  const now = performance.now();
  if (!memory || now - memory.readAt > memoryKeptMs) memory = { readAt: now, usage: process.memoryUsage() };
  return memory.usage;
}

type WorkerPlace = { readonly number: number; readonly count: number };

/** @param worker which of the server's workers makes this page; undefined where one process is the whole server */
export function ServerState({ worker }: { worker?: WorkerPlace | undefined }) {
  const { rss, heapUsed } = readMemory();
  return (
    <Facts
      facts={[
        { name: 'Build', value: <span className="code">{import.meta.env.WAKU_BUILD_ID || 'not built'}</span> },
        ...(worker
          ? [
              {
                name: 'Worker',
                value: `${worker.number} of ${worker.count} made this page, as process ${process.pid}. Time and memory are its own.`,
              },
            ]
          : []),
        { name: 'Up for', value: formatDuration(process.uptime() * 1_000) },
        {
          name: 'Memory',
          value: `${formatBytes(rss)} resident, ${formatBytes(heapUsed)} of it used by JavaScript`,
        },
        { name: 'Node', value: process.versions.node },
        { name: 'React', value: reactVersion },
        { name: 'Waku', value: wakuVersion },
      ]}
    />
  );
}
