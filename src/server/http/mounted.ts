import { mountPath } from './addresses.ts';

/** Whether an address is ours. At the root of the server each one is; mounted in another app, the others are the app's. */
export function isMounted(path: string, mount = mountPath): boolean {
  return path === mount || path.startsWith(`${mount}/`);
}

/** Mounted, the home page is the mount path itself, and answers with a slash behind it too. */
export function isHome(path: string, mount = mountPath): boolean {
  return path === mount || path === `${mount}/`;
}
