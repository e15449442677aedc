import type { MiddlewareHandler } from 'hono';

import { receive, type Receiver, type Refusal } from '#src/server/http/receive.ts';

import type { App } from './apps.ts';
import { authoriseSender } from './authorise-sender.ts';
import { enterSender } from './enter-sender.ts';
import { refuseSender } from './refuse-sender.ts';

/**
 * Where an app sends what it has, at an address with the app's id in it. Who sends shows the app's secret key, which is compared before
 * anything is read: a stranger costs that. Each refusal is counted for the app.
 */
type OfApp = { readonly app: App };

type AppReceiver = Pick<
  Receiver<OfApp>,
  'what' | 'types' | 'codings' | 'limit' | 'unpackedBytes' | 'together' | 'retrySeconds' | 'wait' | 'keep'
> & {
  readonly endpoint: Parameters<typeof refuseSender>[0];
  /** The app's id in a path; undefined for any other path. */
  readonly findApp: (path: string) => string | undefined;
};

const idPattern = /^[a-z0-9-]{1,64}$/;

/** @param pattern the address with `*` in the place of the app: an id has nothing that an address encodes */
export function createAppFinder(pattern: string): AppReceiver['findApp'] {
  const [before = '', after = ''] = pattern.split('*');
  return function findApp(path) {
    if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
    const id = path.slice(before.length, -after.length);
    return idPattern.test(id) ? id : undefined;
  };
}

async function authorise(id: string, request: Request): Promise<OfApp | Refusal> {
  const sender = await authoriseSender(id, request.headers.get('authorization'));
  if (sender.type === 'known') return { app: sender.app };
  const headers = { 'www-authenticate': 'Bearer realm="flight-recorder"' };
  return { code: 'wrong-key', detail: `not the key of ${id}`, headers, app: sender.app?.id };
}

/** Takes what is sent to the path of each app, and lets other paths pass. */
export function receiveForApp({ endpoint, findApp, ...receiver }: AppReceiver): MiddlewareHandler {
  const take = receive<OfApp>({
    ...receiver,
    authorise: (request) => authorise(findApp(new URL(request.url).pathname) ?? '', request),
    enter: ({ app }, giveWay) => enterSender(app.id, giveWay),
    refuse: (refusal) => refuseSender(endpoint, refusal.app, refusal),
  });
  return function receiveForAppMiddleware(c, next) {
    return findApp(c.req.path) === undefined ? next() : take(c.req.raw);
  };
}
