import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { answerBusy } from '#src/server/http/answer-busy.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import type { Place, Shedding } from '#src/server/http/shedding.ts';

async function leaveWhenAnswered({ leave }: Place, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } finally {
    leave();
  }
}

/** Turns work away while there is too much of it, by what `shedding` counts. */
export function shed(shedding: Shedding): MiddlewareHandler {
  return function shedMiddleware(c, next) {
    const request = currentRequest();
    const kind = request?.kind ?? 'other';
    const entry = shedding.enter(kind, c.req.method, c.req.path, request?.address ?? '');
    switch (entry) {
      case 'always':
        return next();
      case 'load':
      case 'limit':
        return Promise.resolve(answerBusy(kind, entry));
      default: {
        const outgoing = findOutgoing(c.env);
        if (!outgoing || outgoing.closed) return leaveWhenAnswered(entry, next);
        entry.leaveWithAnswer(outgoing);
        return next();
      }
    }
  };
}

/**
 * A file takes no place: all who get it share its bytes, and it is handed to the socket in the turn in which it was
 * admitted. But when no place for a page is free, the file is not sent either.
 */
export function shedFile(shedding: Pick<Shedding, 'admits'>): FileRule {
  return {
    admits: ({ context, path }) => shedding.admits(context?.kind ?? 'document', 'GET', path, context?.address ?? ''),
  };
}
