import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { cspReportPath, healthPath, readyPath, tunnelPath } from '#src/server/http/addresses.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { findOperator } from '#src/access/find-operator.ts';

/**
 * What strangers may not reach through an app beside which this server runs, though they may where it is a server of its own.
 * There its visitors are people who were told its address; an app has the whole world. The health pages say how busy this server
 * is, and the reports of its own pages fill its store: only the operator sees those pages. What browsers of the app report is
 * taken by the app's own process, senders of apps show a key, and the form of an error page is for everybody who saw one.
 */
const closed: ReadonlySet<string> = new Set([cspReportPath, healthPath, readyPath, tunnelPath]);

export function notThroughApps(): MiddlewareHandler {
  return async function notThroughAppsMiddleware(c, next) {
    if (!currentRequest()?.visitor || !closed.has(c.req.path)) return next();
    const operator = await findOperator(c.req.header('cookie') ?? null);
    return operator ? next() : refuse('not-found', 'json', 'through the app, only the operator');
  };
}

/** Those paths have no files, and other files pass. */
export const notThroughAppsOfFile: FileRule = { answers: (path) => closed.has(path) };
