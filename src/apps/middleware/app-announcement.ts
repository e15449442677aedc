import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { type AppAnnouncement, type AppBuild, readAppBuild } from '#src/apps/app-announcement.ts';
import { isAppId } from '#src/apps/app-id.ts';
import { ensureApp, findApp } from '#src/apps/apps.ts';
import { appAnnouncementPath } from '#src/server/http/addresses.ts';
import { describeError } from '#boundary';
import { refuse } from '#src/server/http/refuse.ts';
import { isVisitorSecret } from '#src/server/http/visitor.ts';

/**
 * Where the process of an app asks the interface beside it: every two seconds, so that it also notices when this server is gone.
 * The answer holds the app's secret key. So does the database, and the secret that is asked for here lies beside that.
 */
type OnBuild = (id: string, build: AppBuild) => void;

const bearer = /^Bearer (\S{1,100})$/;

/** @param isNew the process asks for the first time: the app is added when it is not there */
async function announce(id: string, isNew: boolean): Promise<AppAnnouncement> {
  const app = isNew ? await ensureApp(id) : await findApp(id);
  if (!app) return { type: 'deleted' };
  const { secretKey, publicKey, number, record, allUntil } = app;
  return { type: 'known', secretKey, publicKey, number, record, allUntil };
}

/** @returns undefined when the process names none, as in development; 'malformed' when it is none */
function readBuild({ req }: Context): AppBuild | 'malformed' | undefined {
  const [release, maps] = [req.query('release'), req.query('maps')];
  if (release === undefined && maps === undefined) return undefined;
  return readAppBuild(release ?? '', maps ?? '') ?? 'malformed';
}

async function answer(context: Context, onBuild: OnBuild): Promise<Response> {
  const { req } = context;
  if (req.method !== 'POST') return refuse('wrong-method', 'json', 'only POST', { allow: 'POST' });
  const given = bearer.exec(req.header('authorization') ?? '')?.[1] ?? '';
  if (!isVisitorSecret(given)) return refuse('not-signed-in', 'json', 'not an app beside this server');
  const id = req.query('app') ?? '';
  if (!isAppId(id)) return refuse('malformed-request', 'json', 'not the id of an app');
  const build = readBuild(context);
  if (build === 'malformed') return refuse('malformed-request', 'json', 'not a release with a whole path of its maps');
  try {
    const announcement = await announce(id, req.query('new') === '1');
    // The app does not wait for it.
    if (build && announcement.type === 'known') onBuild(id, build);
    return Response.json(announcement, { headers: { 'cache-control': 'private, no-store' } });
  } catch (error) {
    // A full disk, or a hundred apps: the app's process says it. Until the app is known, this server's own log is not shown.
    const reason = describeError(error);
    const { status } = refuse('not-stored', 'json', reason);
    return Response.json({ reason }, { status, headers: { 'cache-control': 'private, no-store' } });
  }
}

/** @param onBuild hears of the build of each app that says it */
export function appAnnouncement(onBuild: OnBuild): MiddlewareHandler {
  return function appAnnouncementMiddleware(c, next) {
    return c.req.path === appAnnouncementPath ? answer(c, onBuild) : next();
  };
}
