import 'server-only';

import { spawn } from 'node:child_process';

import { readSetting, type ReadSetting } from '#src/server/environment/read-setting.ts';

/**
 * The program that opens an address on this machine's desktop; undefined without a desktop, as over SSH or in a
 * container.
 */
export function findOpener(
  platform: NodeJS.Platform,
  read: ReadSetting,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (read('SSH_CONNECTION') || read('FLIGHT_OPEN') === false) return undefined;
  switch (platform) {
    case 'darwin':
      return { command: 'open', args: [] };
    case 'win32':
      // The empty argument is the window's title. Without it, `start` would take a quoted address for the title.
      return { command: 'cmd', args: ['/c', 'start', ''] };
    default:
      return read('DISPLAY') || read('WAYLAND_DISPLAY') ? { command: 'xdg-open', args: [] } : undefined;
  }
}

/** Opens `url` when there is a desktop. When that fails, the address is still shown in the terminal. */
export function openBrowser(url: string): void {
  const opener = findOpener(process.platform, readSetting);
  if (!opener) return;
  const child = spawn(opener.command, [...opener.args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
