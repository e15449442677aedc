import { formatBytes, formatDuration } from '#flight';
import { version as reactVersion } from 'react';
import { version as wakuVersion } from 'waku/package.json';

import { Facts } from '#viewer/facts.tsx';

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

export function ServerState() {
  const { rss, heapUsed } = readMemory();
  return (
    <Facts
      facts={[
        { name: 'Build', value: <span className="code">{import.meta.env.WAKU_BUILD_ID || 'not built'}</span> },
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
