import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createFormCheck } from '#src/runtime/middleware/page-actions.ts';

import { withCheckedForms } from './check-forms.ts';

const run = vi.fn(async () => 'saved');
const decode = vi.hoisted(() => vi.fn<() => Promise<unknown>>());

vi.mock('@vitejs/plugin-rsc/rsc/server', () => ({
  decodeAction: decode,
  decodeFormState: async (state: unknown) => state,
}));

type Handlers = Parameters<typeof withCheckedForms>[0];
type Input = Parameters<Handlers['handleRequest']>[0];
type HttpInput = Extract<Input, { type: 'http' }>;
type Utils = Parameters<Handlers['handleRequest']>[1];

const origin = 'http://localhost';
const named = { '$ACTION_ID_0123456789ab#saveOrder': '' };

const utils: Utils = {
  renderRsc: async () => new ReadableStream(),
  renderHtml: async () => new Response(),
  loadBuildMetadata: async () => undefined,
};

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  run.mockClear();
  decode.mockReset().mockResolvedValue(run);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function submit(fields: Readonly<Record<string, string>>, headers: HeadersInit = { origin }): Request {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return new Request(`${origin}/orders`, { method: 'POST', headers, body });
}

/**
 * The router with one page, or one route of its API, behind the checks. As Waku makes the input of a multipart POST, whatever the path is.
 */
async function send(req: Request, route: (input: HttpInput) => Promise<Response>): Promise<Response> {
  const handlers: Handlers = {
    handleRequest: async (input) => (input.type === 'http' ? route(input) : undefined),
  };
  const hasAction = async (file: string, name: string) => `${file}#${name}` === '0123456789ab#saveOrder';
  const input: Input = {
    type: 'http',
    pathname: '/orders',
    req,
    etags: {},
    tryAction: () => Promise.reject(new Error('Waku decoded the form')),
  };
  const result = await withCheckedForms(handlers, createFormCheck({ hasAction })).handleRequest(input, utils);
  if (!(result instanceof Response)) throw new Error('expected a response');
  return result;
}

/** Twice, as for a page that is not found. */
async function renderPage({ tryAction }: HttpInput): Promise<Response> {
  const results = [await tryAction?.(), await tryAction?.()];
  return Response.json(results.map((result) => (result?.action ? result.formState : 'no action')));
}

test('a form runs its action once', async () => {
  expect(await (await send(submit(named), renderPage)).json()).toEqual(['saved', 'saved']);
  expect(run).toHaveBeenCalledOnce();
});

test.each([
  ['of another origin', submit(named, { origin: 'https://evil.example' }), 403],
  ['with an action that this build does not have', submit({ '$ACTION_ID_0123456789ab#gone': '' }), 409],
  ['with three actions', submit({ ...named, '$ACTION_ID_a#b': '', '$ACTION_ID_c#d': '' }), 400],
  ['of more than 1 MiB', submit({ ...named, note: 'x'.repeat(1024 * 1024) }), 413],
  ['of more than a thousand fields', submit(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [n, '']))), 413],
])('a form %s is refused before it is decoded, with one line', async (_name, request, status) => {
  const response = await send(request, renderPage);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(decode).not.toHaveBeenCalled();
  expect(lines).toHaveLength(1);
});

test('a form that React cannot decode is refused', async () => {
  decode.mockRejectedValue(new Error('no form of React'));
  expect((await send(submit(named), renderPage)).status).toBe(400);
  expect(run).not.toHaveBeenCalled();
});

test('a form that is refused is, whatever an interceptor of the app makes of it', async () => {
  const response = await send(submit(named, {}), async (input) => {
    try {
      return await renderPage(input);
    } catch {
      return new Response('caught');
    }
  });
  expect(response.status).toBe(403);
});

test('a form that names no action is the app’s, from wherever it comes', async () => {
  const request = submit({ status: 'paid' }, { origin: 'https://pay.example' });
  expect(await (await send(request, renderPage)).json()).toEqual(['no action', 'no action']);
  expect([decode.mock.calls, lines]).toEqual([[], []]);
});

test('what a route of the app’s API is sent is its own, however large', async () => {
  const file = 'x'.repeat(2 * 1024 * 1024);
  const request = submit({ file }, { origin: 'https://elsewhere.example' });
  const response = await send(request, async ({ req }) => {
    const sent = (await req.formData()).get('file');
    return new Response(sent === file ? 'kept' : 'changed', { status: 201 });
  });
  expect([response.status, await response.text(), lines]).toEqual([201, 'kept', []]);
});

test('an error of the app stays one', async () => {
  const failing = send(submit(named), () => Promise.reject(new Error('of the page')));
  await expect(failing).rejects.toThrow('of the page');
});
