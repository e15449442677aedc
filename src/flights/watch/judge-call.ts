import { isUrlEncoded, judgeRequest, type Judgement } from '#flight';

import type { RequestLook } from './exchange.ts';
import { longestValue } from './keep-headers.ts';

/** A request that may call a server function of React, with as much of its body as there is. */
type Call = {
  readonly look: RequestLook;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly isWhole: boolean;
};

/** React Router carries out an action by any of these. */
const mutations = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Anywhere: frameworks look for it so. */
const multipart = /\bmultipart\//i;

/** Its whole body is in React's format. Waku reads that of any request for a payload; TanStack Start has a format of its own. */
export function isCall({ framework, kind, actionId }: RequestLook): boolean {
  if (framework === 'tanstack-start') return false;
  return framework === 'waku' || (kind === 'action' && actionId !== null);
}

/**
 * By method and headers: whether its body has to be looked at. `Content-Encoding` says nothing: no framework looks at it, and no client of
 * React packs a body.
 */
export function mayCall(method: string, look: RequestLook, headers: Readonly<Record<string, string>>): boolean {
  if (!mutations.has(method)) return false;
  const type = headers['content-type'];
  return isCall(look) || multipart.test(type ?? '') || isUrlEncoded(type) || isCut(type);
}

/** So long that not all of it is kept: what it says behind that, a framework may find. */
function isCut(type: string | undefined): boolean {
  return (type?.length ?? 0) >= longestValue;
}

/** A field of it may name an action. In an encoded form each letter may be written in two ways. */
function mayNameAction(body: Uint8Array, type: string | undefined): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return bytes.includes('$ACTION_') || (isUrlEncoded(type) && (bytes.includes('$') || bytes.includes('%24')));
}

/** Undefined for a body that is the app's own business: a form that names no action. */
export function judgeCall({ look, headers, body, isWhole }: Call): Judgement | undefined {
  const contentType = headers['content-type'];
  if (!isCall(look) && !isCut(contentType) && !mayNameAction(body, contentType)) return undefined;
  return judgeRequest({ body, contentType, isCall: isCall(look), isWhole });
}
