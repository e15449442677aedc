import 'server-only';

import { writeLog } from '#src/server/http/log.ts';
import { isAtLeast } from '#src/server/environment/is-at-least.mjs';
import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import type { ServerSettings } from '#src/server/http/server-settings.ts';

/** The first 24 whose Brotli decoder cannot be made to run what it decodes (CVE-2026-111497); docs/hosting.md names it. */
const safeNode = '24.22.1';

export function isNodeSafe(version: string): boolean {
  return isAtLeast(version, safeNode);
}

/** Where other machines can reach it, in one line: this server decodes no Brotli, but whatever else runs here may. */
export function warnOfOldNode(settings: ServerSettings, version: string = process.version): void {
  if (!isReachableByOthers(settings) || isNodeSafe(version)) return;
  writeLog('warn', 'old-node', {
    version,
    wanted: safeNode,
    reason: 'known holes that can be reached: docs/hosting.md, Which Node',
  });
}
