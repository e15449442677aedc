import 'server-only';

import { writeLog } from '#src/http/log.ts';
import type { ServerSettings } from '#src/http/server-settings.ts';

/** The first 24 whose Brotli decoder cannot be made to run what it decodes (CVE-2026-111497); docs/hosting.md names it. */
const safeNode = [24, 22, 1] as const;

export function isNodeSafe(version: string): boolean {
  const parts = version.replace(/^v/, '').split('.').map(Number);
  for (const [index, least] of safeNode.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Where other machines can reach it, in one line: this server decodes no Brotli, but whatever else runs here may. */
export function warnOfOldNode({ isLoopback, baseUrl }: ServerSettings, version: string = process.version): void {
  const isBeyondLoopback = !isLoopback || baseUrl !== undefined;
  if (!isBeyondLoopback || isNodeSafe(version)) return;
  writeLog('warn', 'old-node', { version, wanted: safeNode.join('.'), reason: 'known holes that can be reached' });
}
