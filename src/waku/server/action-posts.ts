import 'server-only';

import { actionHeader } from '#src/server/http/flight-headers.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { replayBody } from '#src/server/http/replay-body.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { createCallCheck } from '#src/runtime/middleware/page-actions.ts';
import { parseHeaderId, toCallPath } from '#src/runtime/actions/action-id.ts';
import { hasAction } from '#src/runtime/actions/known-actions.ts';

import { readPublicOrigin } from '../beside/read-reach.ts';

/**
 * Server actions that the page's JavaScript has posted to the page's URL go on to Waku's own address for them, which is where the
 * app's middleware would see them without Flight Recorder. What the app allows is the app's: of the checks of our own server
 * (src/runtime/middleware/page-actions.ts) there is only the one for actions that this build does not have, which Waku would answer with an
 * anonymous 500. `strictActions` has all of them.
 */
type Fetch = (request: Request, ...rest: unknown[]) => Response | Promise<Response>;

/** Arguments that are recorded: the same that our own server takes. Larger ones go on unread. */
const recordedBytes = 1024 * 1024;

async function readArguments(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  return declared <= recordedBytes ? new Uint8Array(await request.arrayBuffer()) : undefined;
}

async function takeCall(request: Request, header: string, prefix: string): Promise<Response | undefined> {
  const id = parseHeaderId(header);
  if (!id) return refuse('malformed-action', 'json', 'not an id');
  if (!(await hasAction(id.file, id.name))) return refuse('unknown-action', 'json', `${id.file}#${id.name}`);
  const { origin, search } = splitUrl(request.url);
  const url = origin + prefix + toCallPath(header) + search;
  const body = await readArguments(request);
  if (body) replayBody(request, { url, body });
  else Object.defineProperty(request, 'url', { value: url });
  const context = currentRequest();
  if (context) {
    const contentType = request.headers.get('content-type') ?? '';
    context.action = { id: `${id.file}#${id.name}`, contentType, body: body ?? new Uint8Array() };
  }
  return undefined;
}

/** @param prefix of Waku's own addresses in this app: `/RSC/`, `/shop/RSC/` */
export function takeActionPosts(fetch: Fetch, prefix: string): Fetch {
  return async function fetchPosted(request, ...rest) {
    const header = request.method === 'POST' ? request.headers.get(actionHeader) : null;
    const refused = header === null ? undefined : await takeCall(request, header, prefix);
    return refused ?? fetch(request, ...rest);
  };
}

/** The forms are checked where the router runs their actions (check-forms.ts): here nobody knows what is a page and what the app's API. */
export function checkActions(fetch: Fetch, prefix: string): Fetch {
  const check = createCallCheck({ hasAction, publicOrigin: readPublicOrigin() }, prefix);
  return async function fetchChecked(request, ...rest) {
    return (await check(request)) ?? fetch(request, ...rest);
  };
}
