import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { Hono, type MiddlewareHandler } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { mountPath } from '#src/http/addresses.ts';
import { checkSettings } from '#src/environment/read-setting.ts';
import { describeError } from '#src/http/describe-error.ts';
import type { FileRule } from '#src/http/file-rule.ts';
import { answerNotFound } from '#src/http/refuse.ts';
import { answerFailure, answerThrown } from '#src/runtime/errors/answer-thrown.ts';

import { keepBody, sendDirectly } from './direct-responses.ts';
import { listen } from './listen.ts';
import { markBodyless } from './mark-bodyless.ts';
import { precompressedFolder } from './precompressed-files.ts';
import { createFileSender } from './send-file.ts';
import { indexStaticFiles, serveStaticFiles, type StaticFile } from './static-files.ts';

/** A middleware, and what it does for a file that is sent without it. */
type Step = { readonly middleware: MiddlewareHandler; readonly file: FileRule };

type HostOptions = {
  /** Outermost first. Every request passes the middlewares, but for files that every rule lets through. */
  readonly pipeline: readonly Step[];
  /** Called once before the first request is answered, never at build time. Returns what to do before the exit. */
  readonly onStart: () => Promise<() => Promise<void>>;
};

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log. Here every request passes the declared pipeline in its order: the middlewares, or their
 * rules where a plain file is sent.
 */
const createHost = createServerEntryAdapter<HostOptions>((waku, options) => {
  if (!options) throw new Error('The host needs its options: pipeline and onStart');
  const { processRequest, processBuild, config, isBuild } = waku;
  const { pipeline, onStart } = options;
  let started: Promise<() => Promise<void>> | undefined;

  function start(): Promise<() => Promise<void>> {
    started ??= onStart();
    return started;
  }

  const app = new Hono<{ Bindings: object }>();
  for (const { middleware } of pipeline) app.use(middleware);
  // The mounted build is copied to any folder, and is started in it.
  const distDir = mountPath === '' ? config.distDir : '.';
  const publicFolder = path.resolve(distDir, constants.DIST_PUBLIC);
  // Dev serves its own.
  const files = isBuild
    ? indexStaticFiles(publicFolder, path.join(distDir, precompressedFolder))
    : new Map<string, StaticFile>();
  if (isBuild) app.use(serveStaticFiles(files));
  const rules = pipeline.map(({ file }) => file);
  const sendFile = createFileSender(files, rules);
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
  app.notFound(() => answerNotFound());
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
    buildOptions: { distDir: config.distDir, mount: mountPath },
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
        console.error(describeError(error).replace(/^/gm, 'flight-recorder: '));
        process.exit(1);
      }
    },
  };
});

export default createHost;
