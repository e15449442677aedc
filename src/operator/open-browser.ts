import 'server-only';

import { spawn } from 'node:child_process';

import { readSetting, type ReadSetting } from '#src/environment/read-setting.ts';

/** What opens an address on this machine's desktop; undefined where there is none, as over SSH or in a container. */
export function findOpener(
  platform: NodeJS.Platform,
  read: ReadSetting,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (read('SSH_CONNECTION') || read('FLIGHT_OPEN') === false) return undefined;
  switch (platform) {
    case 'darwin':
      return { command: 'open', args: [] };
    case 'win32':
      // The empty argument is the window's title: `start` would take a quoted address for it.
      return { command: 'cmd', args: ['/c', 'start', ''] };
    default:
      return read('DISPLAY') || read('WAYLAND_DISPLAY') ? { command: 'xdg-open', args: [] } : undefined;
  }
}

/** Opens `url` where there is a desktop. When that fails, the address still stands in the terminal. */
export function openBrowser(url: string): void {
  const opener = findOpener(process.platform, readSetting);
  if (!opener) return;
  const child = spawn(opener.command, [...opener.args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
