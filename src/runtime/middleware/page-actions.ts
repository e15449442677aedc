import 'server-only';

import type { MiddlewareHandler, Next } from 'hono';

import { parseHeaderId, readFormIds, toCallPath, type ActionId } from '#src/runtime/actions/action-id.ts';
import {
  bodyLimit,
  checkDeclaredLength,
  checkDelimiterCount,
  checkFieldCount,
  checkOrigin,
  isMultipart,
  readBoundary,
  toMultipartType,
  type BodyLimit,
  type Refused,
} from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { refuse, type RefusalForm } from '#src/server/http/refuse.ts';
import { actionHeader } from '#src/server/http/flight-headers.ts';
import { actionPattern, actionRouteHeader, flightPrefix } from '#src/server/http/waku-addresses.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { replayBody } from '#src/server/http/replay-body.ts';
import { splitUrl } from '#src/server/http/request-url.ts';

/**
 * Server actions arrive here and nowhere else. A page's JavaScript posts to the page's URL with the action's id in a
 * header; a form without JavaScript posts there as multipart with the id in a field's name. Waku takes the first kind
 * at `/RSC/F/<id>.txt`: the request is rewritten to that, and from outside that address does not exist.
 *
 * React's decoder of arguments is the part of the stack with the most security releases, so only what passes these checks
 * reaches it. In this order, each with an answer of its own: method, origin, declared length, the id's shape, the id (an
 * allow-list: the actions of this build), the real length, the number of fields. Only then is a body decoded.
 */
export type KnownActions = {
  readonly hasAction: (file: string, name: string) => Promise<boolean>;
  /** As for `checkOrigin`. */
  readonly publicOrigin?: string | undefined;
};

type Check = (request: Request) => Response | undefined | Promise<Response | undefined>;

const callLimit: BodyLimit = { bytes: bodyLimit, code: 'too-large' };
/** A form's own action, and that of the button it was submitted with. */
const formIdLimit = 2;

function refuseFor(form: RefusalForm, { code, detail }: Refused): Response {
  if (code === 'wrong-method') return refuse(code, form, detail, { allow: 'GET, HEAD, POST' });
  return refuse(code, form, detail);
}

/** Waku drops one leading `_` before it looks. */
const actionBelowPrefix = /^_?F/;

/** Refuses a request at Waku's own address that does more than read. @param below the path behind Waku's prefix */
function checkFlightRequest(request: Request, below: string): Refused | undefined {
  if (actionBelowPrefix.test(below)) return { code: 'not-public', detail: 'an action by its internal address' };
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  return { code: 'wrong-method', detail: `${request.method} of a payload` };
}

async function checkKnown(id: ActionId | undefined, { hasAction }: KnownActions): Promise<Refused | undefined> {
  if (!id) return { code: 'malformed-action', detail: 'not an id' };
  return (await hasAction(id.file, id.name)) ? undefined : { code: 'unknown-action', detail: `${id.file}#${id.name}` };
}

/** For the recorder and for error reports. A form may name two actions, of which React runs the last. */
function noteAction(id: ActionId | undefined, headers: Headers, body: Uint8Array<ArrayBuffer>): void {
  const request = currentRequest();
  if (!request || !id) return;
  request.action = { id: `${id.file}#${id.name}`, contentType: headers.get('content-type') ?? '', body };
}

/** Makes sure that whoever decodes `body` next finds the fields that were counted here. */
function normalizeMultipart(headers: Headers, body: Uint8Array<ArrayBuffer>): Refused | undefined {
  const contentType = headers.get('content-type');
  if (contentType === null || !isMultipart(contentType)) return undefined;
  const boundary = readBoundary(contentType);
  if (typeof boundary !== 'string') return boundary;
  headers.set('content-type', toMultipartType(boundary));
  return checkDelimiterCount(body, boundary);
}

/** The body whole; from then on the headers name its one boundary in the one spelling that Waku reads. */
async function takeContent(request: Request): Promise<Uint8Array<ArrayBuffer> | Refused> {
  const body = await takeBody(request, callLimit);
  return 'code' in body ? body : (normalizeMultipart(request.headers, body) ?? body);
}

async function takeCall(
  request: Request,
  header: string,
  known: KnownActions,
  prefix: string,
): Promise<Refused | undefined> {
  const refused =
    checkOrigin(request, known.publicOrigin) ??
    checkDeclaredLength(request, callLimit) ??
    (await checkKnown(parseHeaderId(header), known));
  if (refused) return refused;
  const body = await takeContent(request);
  if ('code' in body) return body;
  const { headers } = request;
  noteAction(parseHeaderId(header), headers, body);
  const { origin, pathname, search } = splitUrl(request.url);
  // The 404 page is the one whose route is not the address that it is shown at; it shows nothing of its own.
  // A page rule must not be dodged by naming another route.
  if (headers.get(actionRouteHeader) !== '/404') headers.set(actionRouteHeader, pathname + search);
  // The id has been looked up: nothing in it needs an escape.
  replayBody(request, { url: origin + prefix + toCallPath(header) + search, body });
  return undefined;
}

type ReadForm = {
  readonly form: FormData;
  readonly ids: readonly (ActionId | undefined)[];
  readonly body: Uint8Array<ArrayBuffer>;
};

/** Reads a form whose declared length has been checked. Whoever decodes it next gets the same bytes. */
async function readForm(request: Request): Promise<ReadForm | Refused> {
  const body = await takeContent(request);
  if ('code' in body) return body;
  replayBody(request, { url: request.url, body });
  let form: FormData;
  try {
    form = await request.formData();
  } catch (error) {
    return { code: 'malformed-request', detail: describeError(error) };
  }
  return checkFieldCount(form) ?? { form, ids: readFormIds(form), body };
}

async function admitForm({ ids, body }: ReadForm, headers: Headers, known: KnownActions): Promise<Refused | undefined> {
  if (ids.length === 0 || ids.length > formIdLimit) {
    return { code: 'malformed-action', detail: `${ids.length} actions named` };
  }
  for (const id of ids) {
    const unknown = await checkKnown(id, known);
    if (unknown) return unknown;
  }
  noteAction(ids.at(-1), headers, body);
  return undefined;
}

async function takeForm(request: Request, known: KnownActions): Promise<Refused | undefined> {
  const refused = checkOrigin(request, known.publicOrigin) ?? checkDeclaredLength(request, callLimit);
  if (refused) return refused;
  const read = await readForm(request);
  return 'code' in read ? read : admitForm(read, request.headers, known);
}

/**
 * Checks what is at Waku's own addresses, and what names an action in its header; the latter is rewritten. Every other request
 * passes.
 * @param prefix of Waku's own addresses
 */
export function createCallCheck(known: KnownActions, prefix: string): Check {
  async function checkCall(request: Request, header: string): Promise<Response | undefined> {
    const refused =
      request.method === 'POST'
        ? await takeCall(request, header, known, prefix)
        : ({ code: 'wrong-method', detail: `${request.method} of an action` } as const);
    return refused && refuseFor('json', refused);
  }

  return function checkCallOf(request) {
    const { pathname } = splitUrl(request.url);
    if (pathname.startsWith(prefix)) {
      const refused = checkFlightRequest(request, pathname.slice(prefix.length));
      return refused && refuseFor('json', refused);
    }
    const header = request.headers.get(actionHeader);
    return header === null ? undefined : checkCall(request, header);
  };
}

/**
 * Checks a request, and rewrites the one that is an action's.
 * @returns what refuses it; undefined, or a promise of that, when it may go on
 */
function createActionCheck(known: KnownActions): Check {
  const checkCall = createCallCheck(known, flightPrefix);

  async function checkForm(request: Request): Promise<Response | undefined> {
    const refused = await takeForm(request, known);
    return refused && refuseFor('page', refused);
  }

  return function checkAction(request) {
    const checked = checkCall(request);
    if (checked !== undefined) return checked;
    // No POST at Waku's own address comes here, and none that names an action in its header.
    const isForm = request.method === 'POST' && isMultipart(request.headers.get('content-type'));
    return isForm ? checkForm(request) : undefined;
  };
}

export type CheckedForm =
  | { readonly outcome: 'refused'; readonly response: Response }
  | { readonly outcome: 'no-action'; readonly form: FormData }
  | { readonly outcome: 'action' };

/**
 * For a form that a page of somebody else's app was sent. Whether it names an action is known when it has been read, within the limits
 * of one that does. A form without one is the app's, so the origin counts only after that.
 */
export function createFormCheck(known: KnownActions): (request: Request) => Promise<CheckedForm> {
  function toRefused(refused: Refused): CheckedForm {
    return { outcome: 'refused', response: refuseFor('page', refused) };
  }

  return async function checkForm(request) {
    const tooLong = checkDeclaredLength(request, callLimit);
    if (tooLong) return toRefused(tooLong);
    const read = await readForm(request);
    if ('code' in read) return toRefused(read);
    if (read.ids.length === 0) return { outcome: 'no-action', form: read.form };
    const refused = checkOrigin(request, known.publicOrigin) ?? (await admitForm(read, request.headers, known));
    return refused ? toRefused(refused) : { outcome: 'action' };
  };
}

async function goOn(refused: Response | Promise<Response | undefined>, next: Next): Promise<Response | void> {
  return (await refused) ?? next();
}

export function pageActions(known: KnownActions): MiddlewareHandler {
  const check = createActionCheck(known);
  return function pageActionsMiddleware(c, next) {
    const refused = check(c.req.raw);
    if (refused === undefined) return next();
    return goOn(refused, next);
  };
}

/** No action is at a file's address. A request that names an action goes to the middlewares, which refuse it or run it. */
export const pageActionsOfFile: FileRule = {
  answers: (path) => actionPattern.test(path),
  admits: ({ headers }) => !headers.has(actionHeader),
};
