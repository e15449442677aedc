import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { withPageMethods } from './with-page-methods.ts';

type Handlers = Parameters<typeof withPageMethods>[0];
type Input = Parameters<Handlers['handleRequest']>[0];
type Utils = Parameters<Handlers['handleRequest']>[1];
type Result = Awaited<ReturnType<Handlers['handleRequest']>>;

let lines: string[] = [];
const rendered = new ReadableStream();
const utils: Utils = {
  renderRsc: async () => rendered,
  renderHtml: async () => new Response('a page'),
  loadBuildMetadata: async () => undefined,
};

beforeEach(() => {
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the router does with a path: render a page, as Waku does, or answer by itself. */
async function send(init: RequestInit, route: (utils: Utils) => Promise<Result>): Promise<Result> {
  const handlers: Handlers = { handleRequest: async (_input, given) => route(given) };
  const input: Input = { type: 'http', pathname: '/', req: new Request('http://localhost/', init), etags: {} };
  return withPageMethods(handlers).handleRequest(input, utils);
}

async function renderPage(given: Utils): Promise<Response> {
  return given.renderHtml(await given.renderRsc({}), undefined, { rscPath: '' });
}

async function readResponse(result: Result): Promise<[number, string]> {
  if (!(result instanceof Response)) throw new Error('expected a response');
  return [result.status, await result.text()];
}

test.each(['GET', 'HEAD'])('a page answers %s', async (method) => {
  expect(await readResponse(await send({ method }, renderPage))).toEqual([200, 'a page']);
});

test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('a page refuses %s before anything is rendered', async (method) => {
  const render = vi.spyOn(utils, 'renderRsc');
  const [status, text] = await readResponse(await send({ method }, renderPage));
  expect([status, JSON.parse(text)]).toMatchObject([405, { error: { code: 'wrong-method' } }]);
  expect(render).not.toHaveBeenCalled();
  expect(lines).toHaveLength(1);
});

test('a page that only the browser renders refuses too', async () => {
  expect((await readResponse(await send({ method: 'PUT' }, async () => 'fallback')))[0]).toBe(405);
});

test.each(['PUT', 'POST'])('what is no page answers %s by itself', async (method) => {
  const result = await send({ method, body: 'x' }, async () => new Response('kept', { status: 201 }));
  expect(await readResponse(result)).toEqual([201, 'kept']);
  expect(await send({ method }, async () => null)).toBeNull();
  await expect(send({ method }, () => Promise.reject(new Error('of the route')))).rejects.toThrow('of the route');
  expect(lines).toEqual([]);
});

/** As Waku's router does for a module of src/pages/_api that exports GET alone. */
function routeOfApi(body: ReadableStream | string): Handlers {
  return {
    async handleRequest(input) {
      if (input.type !== 'http') throw new Error('expected a request');
      if (input.req.method !== 'GET') throw new Error(`API method not found: ${input.req.method}for path: /data`);
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  };
}

function toInput(method: string): Input {
  return { type: 'http', pathname: '/data', req: new Request('http://localhost/data', { method }), etags: {} };
}

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('a route of the API that has no %s refuses it', async (method) => {
  const result = await withPageMethods(routeOfApi('data')).handleRequest(toInput(method), utils);
  const [status, text] = await readResponse(result);
  expect([status, JSON.parse(text)]).toMatchObject([405, { error: { code: 'wrong-method' } }]);
  expect(result instanceof Response && result.headers.get('allow')).toBe('GET, HEAD');
  expect(lines).toHaveLength(1);
});

test('a route of the API answers HEAD as GET, and gives the body up', async () => {
  const cancel = vi.fn();
  const result = await withPageMethods(routeOfApi(new ReadableStream({ cancel }))).handleRequest(
    toInput('HEAD'),
    utils,
  );
  if (!(result instanceof Response)) throw new Error('expected a response');
  expect([result.status, result.headers.get('content-type'), result.body]).toEqual([200, 'application/json', null]);
  expect(cancel).toHaveBeenCalledOnce();
  expect(lines).toEqual([]);
});

test('every route of the API exports GET alone, as the refusal says', () => {
  const sources = import.meta.glob<string>('/src/pages/_api/**/*.ts', {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const exported = Object.values(sources).map((source) =>
    [...source.matchAll(/^export (?:default |const |async |function )*(\w+)/gm)].map(([, name]) => name),
  );
  expect(exported.length).toBeGreaterThan(0);
  expect(exported).toEqual(exported.map(() => ['GET']));
});
