import { findApp, findAppOfProject, findAppWithSecret, isSame, type App } from './apps.ts';

/**
 * Who sends for an app shows its secret key: `Authorization: Bearer <key>`. A key lets send and read nothing, so there is no session
 * and no cookie, and a page of another site can do nothing with a visitor's browser here.
 */
export type Sender =
  | { readonly type: 'known'; readonly app: App }
  /** `app`: the one that was named, if it exists. */
  | { readonly type: 'refused'; readonly app: App | undefined };

const bearer = /^Bearer ([\x21-\x7E]{1,100})$/i;

/** @param authorization the header as it came; null when there is none */
export function readBearer(authorization: string | null): string | undefined {
  return bearer.exec(authorization ?? '')?.[1];
}

/** @param authorization as above */
export async function authoriseSender(id: string, authorization: string | null): Promise<Sender> {
  const key = readBearer(authorization);
  const app = key === undefined ? undefined : await findAppWithSecret(id, key);
  return app ? { type: 'known', app } : { type: 'refused', app: await findApp(id) };
}

/** Who sends as an SDK of Sentry does. The secret key makes a server of it, the public one a browser. */
export type SdkSender =
  | { readonly type: 'known'; readonly app: App; readonly side: 'browser' | 'server' }
  | { readonly type: 'refused'; readonly app: App | undefined };

/** @param project of the DSN @param key its user name */
export async function authoriseSdk(project: string, key: string): Promise<SdkSender> {
  const app = await findAppOfProject(project);
  if (!app) return { type: 'refused', app: undefined };
  if (isSame(app.secretKey, key)) return { type: 'known', app, side: 'server' };
  return isSame(app.publicKey, key) ? { type: 'known', app, side: 'browser' } : { type: 'refused', app };
}
