import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { Hono, type MiddlewareHandler } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { checkSettings } from '#src/environment/read-setting.ts';
import type { AdmitFile } from '#src/runtime/file-request.ts';
import { withFlightResponses } from '#src/runtime/renderer/flight-response.ts';

import { twinFolder } from './static-twins.ts';
import { keepBody, markBodyless, sendDirectly } from './direct-responses.ts';
import { listen } from './listen.ts';
import { answerFailure, answerThrown, withPlainFailures } from './page-failures.ts';
import { createFileSender } from './send-file.ts';
import { indexStaticFiles, serveStaticFiles, type StaticFile } from './static-files.ts';

export type HostOptions = {
  /** Outermost first. They see every request, static files included, but for those that `admitFile` lets through. */
  readonly middleware: readonly MiddlewareHandler[];
  /** Which files of the build may be sent without the middleware; see its type. None, where there is no answer. */
  readonly admitFile?: AdmitFile;
  /** Called once before the first request is answered, never at build time. Returns what to do before the exit. */
  readonly onStart: () => Promise<() => Promise<void>>;
};

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log; here every request passes the declared middleware, in the declared order, or the one function that stands for all of
 * it where a plain file is sent.
 */
const createHost = createServerEntryAdapter<HostOptions>((waku, options) => {
  if (!options) throw new Error('The host needs its options: middleware and onStart');
  const { processRequest, processBuild, config, isBuild } = waku;
  const { onStart } = options;
  let started: Promise<() => Promise<void>> | undefined;

  function start(): Promise<() => Promise<void>> {
    started ??= onStart();
    return started;
  }

  const app = new Hono<{ Bindings: object }>();
  for (const middleware of options.middleware) app.use(middleware);
  const publicFolder = path.resolve(config.distDir, constants.DIST_PUBLIC);
  // Dev serves its own.
  const files = isBuild
    ? indexStaticFiles(publicFolder, path.join(config.distDir, twinFolder))
    : new Map<string, StaticFile>();
  if (isBuild) app.use(serveStaticFiles(files));
  const sendFile = createFileSender(files, options.admitFile ?? (() => undefined));
  app.use(async function handlePage(c, next) {
    let response: Response | null;
    markBodyless(c.req.raw);
    try {
      response = await processRequest(c.req.raw);
    } catch (error) {
      return await answerThrown(error, c.req.raw);
    }
    if (!response) return next();
    keepBody(response, c.req.method, c.env);
    return response;
  });
  app.notFound((c) => c.text('Not found\n', 404));
  // A middleware that throws. Hono would print a stack and answer without a digest.
  app.onError((error) => answerFailure(error));

  async function answer(request: Request, env: object): Promise<Response> {
    return sendDirectly(await app.fetch(request, env), request, env);
  }

  return {
    async fetch(request: Request, env: object) {
      // In dev nobody calls `serve`: the first request is the start.
      await start();
      return answer(request, env);
    },
    build: processBuild,
    buildOptions: { distDir: config.distDir },
    buildEnhancers: ['/src/host/build-enhancer.ts'],
    async serve() {
      waku.unstable_setAllEnv(process.env);
      try {
        if (!existsSync(publicFolder)) {
          throw new Error(`there is no build at ${publicFolder}; run this from the folder that holds "dist"`);
        }
        checkSettings();
        await listen({ answer, sendFile }, start);
      } catch (error) {
        // What is wrong here is the operator's to mend (a port, a folder): one line says it, a stack would hide it.
        const message = error instanceof Error ? error.message : String(error);
        console.error(message.replace(/^/gm, 'flight-recorder: '));
        process.exit(1);
      }
    },
  };
});

export default function adapter(handlers: Parameters<typeof createHost>[0], options: HostOptions) {
  return createHost(
    { ...handlers, handleRequest: withPlainFailures(withFlightResponses(handlers.handleRequest)) },
    options,
  );
}
