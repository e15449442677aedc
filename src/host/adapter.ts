import 'server-only';

import path from 'node:path';

import { Hono, type MiddlewareHandler } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { listen } from './listen.ts';
import { indexStaticFiles, serveStaticFiles } from './static-files.ts';

export type HostOptions = {
  /** Outermost first. They see every request, static files included. */
  readonly middleware: readonly MiddlewareHandler[];
  /** Called once before the first request is answered, never at build time. Returns what to do before the exit. */
  readonly onStart: () => Promise<() => Promise<void>>;
};

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log; here every request passes the declared middleware, in the declared order.
 */
export default createServerEntryAdapter<HostOptions>((waku, options) => {
  if (!options) throw new Error('The host needs its options: middleware and onStart');
  const { processRequest, processBuild, config, isBuild } = waku;
  const { onStart } = options;
  let started: Promise<() => Promise<void>> | undefined;

  function start(): Promise<() => Promise<void>> {
    started ??= onStart();
    return started;
  }

  const app = new Hono();
  for (const middleware of options.middleware) app.use(middleware);
  if (isBuild) app.use(serveStaticFiles(indexStaticFiles(path.join(config.distDir, constants.DIST_PUBLIC))));
  app.use(async function handlePage(c, next) {
    const response = await processRequest(c.req.raw);
    if (response) c.res = response;
    else await next();
  });
  app.notFound((c) => c.text('Not found\n', 404));

  return {
    async fetch(request: Request, env?: object) {
      // In dev nobody calls `serve`: the first request is the start.
      await start();
      return app.fetch(request, env);
    },
    build: processBuild,
    buildOptions: { distDir: config.distDir },
    buildEnhancers: ['/src/host/build-enhancer.ts'],
    async serve() {
      waku.unstable_setAllEnv(process.env);
      try {
        await listen((request, env) => app.fetch(request, env), await start());
      } catch (error) {
        // What is wrong here is the operator's to mend (a port, a folder): one line says it, a stack would hide it.
        console.error(`flight-recorder: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      }
    },
  };
});
