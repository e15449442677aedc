import type { IncomingMessage, ServerResponse } from 'node:http';

import { escapeText } from '#boundary';
import { errorCodes } from '#src/server/http/error-codes.ts';

import { createScreen } from '../watch/screen-requests.ts';
import type { Guard, GuardOptions, RefusedCall } from './public.d.ts';
import { screenFetch, type Verdict } from './screen-fetch.ts';
import { screenIncoming } from './screen-incoming.ts';

/**
 * `flight-recorder/guard`: `--block-forged` for a server of one's own, without the proxy. It keeps nothing and sends nothing.
 */
const code = 'forged-request';
const { status, message } = errorCodes[code];
const body = `${JSON.stringify({ error: { code, message } })}\n`;
const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** A scan is no reason to fill a log. */
const sayEveryMs = 60_000;
/** A line of a terminal. */
const longestPath = 200;

function createSaying(): (refused: RefusedCall) => void {
  let saidAt = -Infinity;
  return ({ path, reason }) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    const shown = escapeText(path.slice(0, longestPath));
    console.warn(
      `flight-recorder: refused a call that is ${reason}: POST ${shown} (more within a minute are not said)`,
    );
  };
}

function hasBody({ headers: given }: IncomingMessage): boolean {
  return given['transfer-encoding'] !== undefined || Number(given['content-length'] ?? 0) > 0;
}

/** @throws TypeError for options that are none: what is not refused must not be a typing mistake */
export function createGuard({ larger, onRefused = createSaying() }: GuardOptions): Guard {
  if (larger !== 'pass' && larger !== 'refuse') {
    throw new TypeError(
      'createGuard({ larger }) takes "pass" or "refuse": what becomes of calls that are too large to look at',
    );
  }
  const screen = createScreen(larger === 'refuse');

  function tell(path: string, reason: Exclude<Verdict, 'fine'>): void {
    onRefused({ path, reason });
  }

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // What is left of a body that is too long is nobody's.
    outgoing.writeHead(status, { ...headers, ...(incoming.complete ? {} : { connection: 'close' }) }).end(body);
    incoming.resume();
  }

  return {
    async check(request) {
      const verdict = await screenFetch(screen, request);
      if (verdict === 'fine') return undefined;
      tell(new URL(request.url).pathname, verdict);
      return new Response(body, { status, headers });
    },
    middleware(incoming, outgoing, next) {
      const { method = '', url: target = '', rawHeaders } = incoming;
      const screening = hasBody(incoming) ? screen({ method, target, headers: rawHeaders }) : undefined;
      if (!screening) return next();
      screenIncoming(incoming, screening, (verdict) => {
        if (verdict === 'fine') return next();
        tell(target.split('?')[0] ?? '', verdict);
        answer(incoming, outgoing);
      });
    },
  };
}
