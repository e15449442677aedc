import 'server-only';

import type { fsRouter } from 'waku';

import { refuse } from '#src/server/http/refuse.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;
type Input = Parameters<Handlers['handleRequest']>[0];
type HttpInput = Extract<Input, { type: 'http' }>;
type Utils = Parameters<Handlers['handleRequest']>[1];
type Result = Awaited<ReturnType<Handlers['handleRequest']>>;

/** POST is allowed for the page's own forms, which are looked at before this and come with `tryAction`. */
const allowed = { allow: 'GET, HEAD, POST' };

function refusePage({ method, headers }: Request): Response {
  if (method !== 'POST') return refuse('wrong-method', 'json', `${method} of a page`, allowed);
  const type = headers.get('content-type') ?? 'no Content-Type';
  // What a plain HTML form sends: its user sees the answer.
  const isForm = type.toLowerCase().startsWith('application/x-www-form-urlencoded');
  return refuse('unsupported-type', isForm ? 'page' : 'json', type, { 'accept-post': 'multipart/form-data' });
}

/** Every route under src/pages/_api reads, and exports GET alone. */
const allowedOfApi = { allow: 'GET, HEAD' };

/** Waku's words for a route of its API that does not export the method; it has no error class or status for it. */
function isMissingMethod(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('API method not found: ');
}

/** What GET answers, without its body. The body is cancelled: a stream would go on without a reader. */
async function answerHead({ handleRequest }: Handlers, input: HttpInput, utils: Utils): Promise<Result> {
  const result = await handleRequest({ ...input, req: new Request(input.req, { method: 'GET' }) }, utils);
  if (!(result instanceof Response)) return result;
  await result.body?.cancel();
  return new Response(null, result);
}

async function answerMissingMethod(handlers: Handlers, input: Input, utils: Utils, error: unknown): Promise<Result> {
  if (!isMissingMethod(error) || input.type !== 'http') throw error;
  const { method } = input.req;
  if (method === 'HEAD') return answerHead(handlers, input, utils);
  return refuse('wrong-method', 'json', `${method} of a route of the API`, allowedOfApi);
}

function mayRender(input: Input): boolean {
  if (input.type !== 'http') return true;
  const { method } = input.req;
  return method === 'GET' || method === 'HEAD' || input.tryAction !== undefined;
}

/**
 * Waku renders a page whatever the method is, with status 200. A page answers GET, HEAD and its forms' POSTs; the
 * routes of the API answer what they export, and HEAD. Only Waku knows which of the two a path is, and it shows it only by
 * rendering. So the request goes on with a renderer that renders nothing, and no component of the page runs.
 */
export function withPageMethods<T extends Handlers>(handlers: T): T {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      if (mayRender(input)) {
        try {
          return await handlers.handleRequest(input, utils);
        } catch (error) {
          return answerMissingMethod(handlers, input, utils, error);
        }
      }
      const reached = new Error('a page was about to be rendered');
      async function renderNothing(): Promise<never> {
        throw reached;
      }
      try {
        const result = await handlers.handleRequest(input, { ...utils, renderRsc: renderNothing });
        // A page that is rendered in the browser alone.
        return result === 'fallback' ? refusePage(input.req) : result;
      } catch (error) {
        if (error === reached) return refusePage(input.req);
        return answerMissingMethod(handlers, input, utils, error);
      }
    },
  };
}
