import 'server-only';

import path from 'node:path';

import { serve } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { refuseUnreadable } from '#src/runtime/actions/refuse.ts';

import { indexStaticFiles, serveStaticFiles } from './static-files.ts';

export type HostOptions = {
  /** Outermost first. They see every request, static files included. */
  readonly middleware: readonly MiddlewareHandler[];
};

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log; here every request passes the declared middleware, in the declared order.
 */
export default createServerEntryAdapter<HostOptions>(({ processRequest, processBuild, config, isBuild }, options) => {
  const app = new Hono();
  for (const middleware of options?.middleware ?? []) app.use(middleware);
  if (isBuild) app.use(serveStaticFiles(indexStaticFiles(path.join(config.distDir, constants.DIST_PUBLIC))));
  app.use(async function waku(c, next) {
    let response: Response | null;
    try {
      response = await processRequest(c.req.raw);
    } catch (error) {
      // A failing page is answered further in. Out here, only what could not be read arrives.
      return refuseUnreadable(error);
    }
    return response ?? next();
  });
  app.notFound((c) => c.text('Not found\n', 404));
  return {
    fetch: app.fetch,
    build: processBuild,
    buildOptions: { distDir: config.distDir },
    buildEnhancers: ['waku/adapters/node-build-enhancer'],
    serve,
  };
});
