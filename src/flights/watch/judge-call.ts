import { judgeRequest, type Judgement } from '#flight';

import type { RequestLook } from './exchange.ts';

/** A request that may call a server function of React, with as much of its body as there is. */
type Call = {
  readonly look: RequestLook;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly isWhole: boolean;
};

/** By method and headers: whether its body has to be looked at. */
export function mayCall(method: string, look: RequestLook, headers: Readonly<Record<string, string>>): boolean {
  const isPacked = !/^(?:identity)?$/.test(headers['content-encoding'] ?? '');
  // The functions of TanStack Start are not called in React's format, and no framework unpacks a body.
  if (method !== 'POST' || isPacked || look.framework === 'tanstack-start') return false;
  return look.actionId !== null || /^\s*multipart\//i.test(headers['content-type'] ?? '');
}

/** Undefined for a body that is the app's own business: a form that names no action. */
export function judgeCall({ look, headers, body, isWhole }: Call): Judgement | undefined {
  const isCall = look.kind === 'action' && look.actionId !== null;
  if (!isCall && !Buffer.from(body.buffer, body.byteOffset, body.length).includes('$ACTION_')) return undefined;
  return judgeRequest({ body, contentType: headers['content-type'], isCall, isWhole });
}
