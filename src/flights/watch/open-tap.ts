import { createRequestId } from '#src/server/http/create-request-context.ts';
import type { SeenRequest, Tap } from '#src/proxy/watch.ts';

import type { Policy } from '#src/apps/policy.ts';
import type { Exchange, RequestLook } from './exchange.ts';
import { isPageRequest, mayCarryFlight } from './is-worth-watching.ts';
import { keepResponseHeaders } from './keep-headers.ts';
import { createKeptBytes } from './kept-bytes.ts';
import type { OpenTaps } from './open-taps.ts';

/**
 * One response on its way through the proxy: its chunks are copied, and handed over when it ends. It runs on the path of the
 * bytes, so it does nothing else, and what it keeps is bounded.
 */

/** A response as it was sent, compressed or not. Twice what is kept of a flight: a page's HTML is around its rows. */
const bodyLimit = 2 * 1024 * 1024;
/** An action's arguments: as much as this server takes itself. */
const argumentsLimit = 1024 * 1024;
/** Of the request's and the response's head, and of the objects that hold them. */
const headBytes = 16 * 1024;

const form = /\b(?:multipart\/form-data|application\/x-www-form-urlencoded)/i;
const nothing = new Uint8Array();

export type TapOptions = {
  readonly app: string;
  readonly policy: Policy;
  readonly release: string;
  readonly taps: OpenTaps;
  /** When the request came, by `performance.now()`. */
  readonly begun: number;
  /** Called before the request is forwarded, where its order matters: a page that is streamed ends after what it asks for. */
  readonly onBegin: (exchange: Exchange) => void;
  readonly onEnd: (exchange: Exchange) => void;
  readonly onLost: () => void;
};

/** The arguments of an action, or a form that was sent without JavaScript and may be one. Others are none of our business. */
function wantsArguments(
  { method }: SeenRequest,
  look: RequestLook,
  headers: Readonly<Record<string, string>>,
): boolean {
  return method === 'POST' && (look.kind === 'action' || form.test(headers['content-type'] ?? ''));
}

/** A page, or a navigation to one: what follows from it may end before it does. */
function isOrdered({ kind }: RequestLook, headers: Readonly<Record<string, string>>): boolean {
  return kind === 'navigation' || kind === 'navigation-or-prefetch' || (kind === null && isPageRequest(headers));
}

/** Returns undefined when there is no memory for it. */
export function openTap(
  request: SeenRequest,
  look: RequestLook,
  requestHeaders: Readonly<Record<string, string>>,
  { app, policy, release, taps, begun, onBegin, onEnd, onLost }: TapOptions,
): Tap | undefined {
  const { budget } = taps;
  if (!budget.take(headBytes)) {
    onLost();
    return undefined;
  }
  const elapsed = () => performance.now() - begun;
  const body = createKeptBytes(budget, bodyLimit, elapsed);
  const args = wantsArguments(request, look, requestHeaders)
    ? createKeptBytes(budget, argumentsLimit, elapsed)
    : undefined;
  const requestId = createRequestId(request.startedAt);
  let status = 0;
  let responseHeaders: Record<string, string> = {};
  let isOpen = true;

  const leave = taps.add(() => {
    close();
    onLost();
  });

  function close(): void {
    isOpen = false;
    leave();
    budget.give(headBytes);
    body.discard();
    args?.discard();
  }

  function describeRequest() {
    const { method, target, peer, startedAt } = request;
    return {
      app,
      requestId,
      policy,
      release,
      method,
      target,
      look,
      requestHeaders,
      status,
      responseHeaders,
      peer,
      startedAt,
    };
  }

  if (isOrdered(look, requestHeaders)) {
    const facts = { ...describeRequest(), durationMs: 0, outcome: 'begun', sentBytes: 0, requestBytes: 0 } as const;
    onBegin({ facts, times: [], body: nothing, args: nothing });
  }

  const tap: Tap = {
    id: requestId,
    response(answered, flat) {
      if (!isOpen) return false;
      status = answered;
      responseHeaders = keepResponseHeaders(flat);
      // A failure is worth knowing, whatever it carries.
      const isWanted = status >= 500 || mayCarryFlight(responseHeaders['content-type'], look.kind !== null);
      if (!isWanted) close();
      return isWanted;
    },
    body(chunk) {
      if (isOpen) body.add(chunk);
    },
    end(outcome) {
      if (!isOpen) return;
      try {
        if (body.isOverBudget()) onLost();
        else {
          onEnd({
            facts: {
              ...describeRequest(),
              durationMs: Math.round(elapsed() * 100) / 100,
              outcome,
              sentBytes: body.total(),
              requestBytes: args?.total() ?? 0,
            },
            times: body.times(),
            body: body.bytes(),
            args: args?.bytes() ?? nothing,
          });
        }
      } finally {
        // Whatever happens: the memory is for others.
        close();
      }
    },
  };
  if (!args) return tap;
  return {
    ...tap,
    requestBody(chunk) {
      if (isOpen) args.add(chunk);
    },
  };
}
