import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { Hono } from 'hono';
import { unstable_createServerEntryAdapter as createServerEntryAdapter } from 'waku/adapter-builders';
import { unstable_constants as constants } from 'waku/internals';

import { mountPath } from '#src/server/http/addresses.ts';
import { checkSettings } from '#src/server/environment/read-setting.ts';
import { describeError } from '#boundary';
import { answerNotFound, renderError } from '#src/server/http/refuse.ts';

import { keepBody, sendDirectly, type AnswerFailure } from './direct-responses.ts';
import { listen } from './listen.ts';
import { markBodyless } from './mark-bodyless.ts';
import { precompressedFolder } from './precompressed-files.ts';
import { createFileSender } from './send-file.ts';
import { indexStaticFiles, serveStaticFiles, type StaticFile } from './static-files.ts';
import type { Step } from './step.ts';

type AdapterOptions = {
  /** Outermost first. Every request passes the middlewares, but for files that every rule lets through. */
  readonly pipeline: readonly Step[];
  /** Called once before the first request is answered, never at build time. Returns what to do before the exit. */
  readonly onStart: () => Promise<() => Promise<void>>;
  /** For what Waku throws instead of an answer. */
  readonly answerThrown: (error: unknown, request: Request) => Promise<Response>;
  /** For what fails in a middleware, or in a stream before its first byte. */
  readonly answerFailure: AnswerFailure;
};

function tellOperator(error: unknown): void {
  console.error(describeError(error).replace(/^/gm, 'flight-recorder: '));
}

/** Answers in dev, which goes on after a failed start: what is wrong may be mended meanwhile. */
function refuseUnstarted(error: unknown): Response {
  tellOperator(error);
  const { headers, body } = renderError('not-started', describeError(error));
  return new Response(body, { status: 500, headers });
}

/**
 * The Node host. Waku's own adapter serves static files before any middleware and lets a request it cannot read become
 * a 500 with a stack in the log. Here every request passes the declared pipeline in its order: the middlewares, or their
 * rules where a plain file is sent.
 */
const createAdapter = createServerEntryAdapter<AdapterOptions>((waku, options) => {
  if (!options) throw new Error('The host needs its options: pipeline, onStart, answerThrown and answerFailure');
  const { processRequest, processBuild, config, isBuild } = waku;
  const { pipeline, onStart, answerThrown, answerFailure } = options;
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
    return sendDirectly(await app.fetch(request, env), request, env, answerFailure);
  }

  return {
    async fetch(request: Request, env: object) {
      // In dev nobody calls `serve`: the first request is the start, and the next one where that failed.
      try {
        await start();
      } catch (error) {
        started = undefined;
        return refuseUnstarted(error);
      }
      return answer(request, env);
    },
    build: processBuild,
    buildOptions: { distDir: config.distDir, mount: mountPath },
    buildEnhancers: ['/src/server/adapter/build-enhancer.ts'],
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
        tellOperator(error);
        process.exit(1);
      }
    },
  };
});

export default createAdapter;
