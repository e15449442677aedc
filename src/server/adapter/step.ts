import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { answersAt, type FileRule } from '#src/server/http/file-rule.ts';
import type { ReceivedAt } from '#src/server/http/shedding.ts';

/** A middleware, and what it does for a file that is sent without it. */
export type Step = { readonly middleware: MiddlewareHandler; readonly file: FileRule };

/** Where somebody outside sends something to be kept. Its middleware has limits of its own, and no file is at its addresses. */
export type Endpoint = Step & ReceivedAt;

/** @param at its one path, or what tells its paths from others @param shedAs with what it is turned away under load */
export function receiveAt(
  at: string | ReceivedAt['at'],
  shedAs: ReceivedAt['shedAs'],
  middleware: MiddlewareHandler,
): Endpoint {
  if (typeof at !== 'string') return { at, shedAs, middleware, file: { answers: at } };
  return { at: (path) => path === at, shedAs, middleware, file: answersAt(at) };
}
