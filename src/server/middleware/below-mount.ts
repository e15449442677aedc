import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { mountPath } from '#src/server/http/addresses.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { isMounted } from '#src/server/http/mounted.ts';
import { answerNotFound } from '#src/server/http/refuse.ts';
import { splitUrl } from '#src/server/http/request-url.ts';

/**
 * Mounted in another app, the other addresses are the app's. Whoever forwards to us asks for none of them; somebody else on the
 * machine may, and learns nothing: neither which pages there are nor that there is a login.
 */
export function belowMount(mount = mountPath): MiddlewareHandler {
  return function belowMountMiddleware(c, next) {
    return isMounted(splitUrl(c.req.raw.url).pathname, mount) ? next() : Promise.resolve(answerNotFound());
  };
}

/** The build has files outside, for example the router's own page of what is not found. */
export const belowMountOfFile: FileRule = { answers: (path) => !isMounted(path) };
