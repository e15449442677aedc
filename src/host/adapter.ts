import 'server-only';

import path from 'node:path';

import { serve, type HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { withFlightResponses } from '#src/runtime/renderer/flight-response.ts';

import { keepBody, sendDirectly } from './direct-responses.ts';
import { indexStaticFiles, serveStaticFiles } from './static-files.ts';

export type HostOptions = {
  /** Outermost first. They see every request, static files included. */
  readonly middleware: readonly MiddlewareHandler[];
};

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log; here every request passes the declared middleware, in the declared order.
 */
const createHost = createServerEntryAdapter<HostOptions>(
  ({ processRequest, processBuild, config, isBuild }, options) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    for (const middleware of options?.middleware ?? []) app.use(middleware);
    if (isBuild) app.use(serveStaticFiles(indexStaticFiles(path.join(config.distDir, constants.DIST_PUBLIC))));
    app.use(async function waku(c, next) {
      const response = await processRequest(c.req.raw);
      if (!response) return next();
      keepBody(response, c.req.method, c.env.outgoing);
      c.res = response;
    });
    app.notFound((c) => c.text('Not found\n', 404));
    async function fetch(request: Request, env: HttpBindings): Promise<Response> {
      return sendDirectly(await app.fetch(request, env), env.outgoing);
    }

    return {
      fetch,
      build: processBuild,
      buildOptions: { distDir: config.distDir },
      buildEnhancers: ['waku/adapters/node-build-enhancer'],
      serve,
    };
  },
);

export default function adapter(handlers: Parameters<typeof createHost>[0], options: HostOptions) {
  return createHost({ ...handlers, handleRequest: withFlightResponses(handlers.handleRequest) }, options);
}
