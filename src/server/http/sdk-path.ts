import { mountPath, sdkEnvelopePath, sdkStorePath } from './addresses.ts';

/**
 * The addresses that SDKs of Sentry make of a DSN: `http://key@host/2` posts to `/api/2/envelope/`, and
 * `http://key@host/some/path/2` to `/some/path/api/2/envelope/`. So whatever stands before `/api` is accepted, for a proxy that
 * passes on the paths below one of its own. Older SDKs leave out the last slash, or post to `/store/`.
 */
export type SdkPath = { readonly project: string; readonly format: 'envelope' | 'store' };

const projectPattern = /^[a-z0-9-]{1,64}$/;

const formats = [
  ['envelope', sdkEnvelopePath],
  ['store', sdkStorePath],
] as const;

/** Returns undefined for every other path. @param path without the query */
export function readSdkPath(path: string): SdkPath | undefined {
  const whole = path.endsWith('/') ? path : `${path}/`;
  const project = whole.split('/').at(-3) ?? '';
  if (!projectPattern.test(project)) return undefined;
  const found = formats.find(([, toPath]) => whole.endsWith(toPath(project).slice(mountPath.length)));
  return found && { project, format: found[0] };
}
