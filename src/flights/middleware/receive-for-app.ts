import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { describeError } from '#boundary';
import type { App } from '#src/apps/apps.ts';
import { authoriseSender } from '#src/apps/authorise-sender.ts';
import { enterSender } from '#src/apps/enter-sender.ts';
import { refuseSender, type SenderRefusal } from '#src/apps/refuse-sender.ts';
import { checkDeclaredLength, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { createTurns } from '#src/server/http/turns.ts';
import { unpackBody } from '#src/server/http/unpack-body.ts';

/**
 * Where something about an app's requests is received. Who sends shows the app's secret key. The key is checked before anything is
 * read, so a stranger costs a comparison; what a sender sends is bounded before it is unpacked.
 */
export type Receiver = {
  readonly endpoint: 'flights' | 'traces';
  /** The app's id in a path; undefined for any other path. */
  readonly findApp: (path: string) => string | undefined;
  readonly types: readonly string[];
  /** Of a body that is not packed any more. */
  readonly unpackedBytes: number;
  readonly keep: (c: Context, app: App, body: Uint8Array) => Promise<Response>;
};

/** What any body may have here (server/http/check-request.ts). */
const wireLimit: BodyLimit = { bytes: 1024 * 1024, code: 'body-too-large' };
/** Each holds its text and what is read from it in memory, once its body is there. */
const mostUnpacked = 2;
/** As long as the recorder waits before it starts a thread that ended again, and longer than a batch takes. */
const retrySeconds = 2;

const idPattern = /^[a-z0-9-]{1,64}$/;

/** @param pattern the address with `*` in the place of the app: an id has nothing that an address encodes */
export function createAppFinder(pattern: string): Receiver['findApp'] {
  const [before = '', after = ''] = pattern.split('*');
  return function findApp(path) {
    if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
    const id = path.slice(before.length, -after.length);
    return idPattern.test(id) ? id : undefined;
  };
}

/** The type of a body, without what is added to it. */
export function readType({ req }: Context): string {
  return (req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function checkHeaders(c: Context, types: readonly string[]): SenderRefusal | undefined {
  const { req } = c;
  const type = readType(c);
  if (!types.includes(type)) return { code: 'unsupported-type', detail: `Content-Type: ${type}` };
  const encoding = req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const headers = { 'accept-encoding': 'gzip, identity' };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}`, headers };
  }
  return checkDeclaredLength(req.raw, wireLimit);
}

async function unpack(body: Uint8Array, most: number): Promise<Uint8Array | Refused> {
  const unpacked = await unpackBody(body, 'gzip', most);
  switch (unpacked) {
    case 'too-large':
      return { code: wireLimit.code, detail: `more than ${most} bytes, unpacked` };
    case 'malformed':
      return { code: 'malformed-request', detail: 'the body is not gzip' };
    default:
      return unpacked;
  }
}

function isBusy(code: Refused['code']): boolean {
  return code === 'overloaded' || code === 'not-stored';
}

/** @param app one that exists */
export function refuseBatch(
  endpoint: Receiver['endpoint'],
  app: string | undefined,
  { headers, ...refused }: SenderRefusal,
): Response {
  const retry = isBusy(refused.code) ? { 'retry-after': String(retrySeconds) } : {};
  return refuseSender(endpoint, app, { ...refused, headers: { ...retry, ...headers } });
}

/** Takes what is sent to the path of each app, and lets other paths pass. */
export function receiveForApp({ endpoint, findApp, types, unpackedBytes, keep }: Receiver): MiddlewareHandler {
  const takeTurn = createTurns(mostUnpacked);

  async function take(c: Context, app: App): Promise<Response> {
    const body = await takeBody(c.req.raw, wireLimit);
    if ('code' in body) return refuseBatch(endpoint, app.id, body);
    const endTurn = await takeTurn();
    try {
      const isPacked = c.req.header('content-encoding') === 'gzip';
      const bytes = isPacked ? await unpack(body, unpackedBytes) : body;
      return 'code' in bytes ? refuseBatch(endpoint, app.id, bytes) : await keep(c, app, bytes);
    } finally {
      endTurn();
    }
  }

  async function answer(c: Context, id: string): Promise<Response> {
    if (c.req.method !== 'POST') return refuse('wrong-method', 'json', 'only POST', { allow: 'POST' });
    const sender = await authoriseSender(id, c.req.header('authorization') ?? null);
    if (sender.type === 'refused') {
      const headers = { 'www-authenticate': 'Bearer realm="app"' };
      return refuseBatch(endpoint, sender.app?.id, { code: 'wrong-key', detail: `not the key of ${id}`, headers });
    }
    const { app } = sender;
    const refusal = checkHeaders(c, types);
    if (refusal) return refuseBatch(endpoint, app.id, refusal);
    const leave = enterSender(app.id);
    if (!leave) return refuseBatch(endpoint, app.id, { code: 'overloaded', detail: 'too many batches at once' });
    try {
      return await take(c, app);
    } catch (error) {
      writeLog('error', `${endpoint}-not-received`, { reason: describeError(error) });
      return refuseBatch(endpoint, app.id, { code: 'not-stored', detail: 'the recorder failed' });
    } finally {
      leave();
    }
  }

  return function receiveForAppMiddleware(c, next) {
    const id = findApp(c.req.path);
    return id === undefined ? next() : answer(c, id);
  };
}
