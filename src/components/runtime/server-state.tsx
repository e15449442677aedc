import { version as reactVersion } from 'react';
import { version as wakuVersion } from 'waku/package.json';

import { Facts } from '#src/components/facts.tsx';
import { formatBytes } from '#src/components/format-size.ts';
import { formatDuration } from '#src/components/format-time.ts';
import { countReportingFailures } from '#src/runtime/reporting/start-server-reporting.ts';

/** What runs the server, and for how long already. */
export function ServerState() {
  const memory = process.memoryUsage();
  return (
    <Facts
      facts={[
        { name: 'Build', value: <span className="code">{import.meta.env.WAKU_BUILD_ID || 'not built'}</span> },
        { name: 'Up for', value: formatDuration(process.uptime() * 1_000) },
        {
          name: 'Memory',
          value: `${formatBytes(memory.rss)} resident, ${formatBytes(memory.heapUsed)} of it used by JavaScript`,
        },
        { name: 'Reports lost', value: String(countReportingFailures()) },
        { name: 'Node', value: process.versions.node },
        { name: 'React', value: reactVersion },
        { name: 'Waku', value: wakuVersion },
        { name: 'SQLite', value: process.versions.sqlite ?? 'none' },
      ]}
    />
  );
}
