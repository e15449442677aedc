import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { AppError } from '../sender/app-error.ts';
import { openSender } from '../sender/open-sender.ts';

import { onRequestError } from './index.ts';
import type * as declared from './public.d.ts';

let posted: AppError[];
let url: string;
let count = 0;

beforeEach(() => {
  posted = [];
  count += 1;
  url = `http://${'a'.repeat(32)}@127.0.0.1:4000/shop-${count}`;
  vi.stubEnv('FLIGHT_RECORDER', url);
  vi.stubEnv('NEXT_RUNTIME', 'nodejs');
  vi.stubGlobal('fetch', async (_url: unknown, init: RequestInit) => {
    const { errors }: { errors: AppError[] } = JSON.parse(String(init.body));
    posted.push(...errors);
    return Response.json({});
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** As Next.js 16.4.6 calls it. */
const request = {
  path: '/boom?token=abc',
  method: 'GET',
  headers: { host: '127.0.0.1', rsc: '1', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
};
const context = {
  routerKind: 'App Router',
  routePath: '/boom',
  routeType: 'render',
  renderSource: 'react-server-components',
};

async function report(
  error: unknown,
  from: unknown = request,
  where: unknown = context,
): Promise<AppError | undefined> {
  await onRequestError(error, from, where);
  await openSender(url)?.settle();
  return posted.at(-1);
}

describe('onRequestError', () => {
  it('tells an error once of each request, for however many parts of the page it is', async () => {
    const error = new Error('two parts wait for it');
    const other = { ...request, headers: { ...request.headers } };
    for (const from of [request, { ...request }, other]) await report(error, from);
    await report(new Error('two parts wait for it'));
    expect(posted).toHaveLength(3);
    // Without headers nothing says which request it is.
    for (let times = 0; times < 2; times += 1) await report(error, { path: '/boom', method: 'GET' });
    expect(posted).toHaveLength(5);
  });

  it('has the type that is declared for others', () => {
    const hook: typeof declared.onRequestError = onRequestError;
    expect(hook).toBe(onRequestError);
  });

  it('reports digest, route, kind and request, without the values of the query', async () => {
    const cause = new Error('gone');
    expect(await report(Object.assign(new Error('Boom', { cause }), { digest: '1780461906' }))).toMatchObject({
      reporter: 'next',
      framework: 'next',
      digest: '1780461906',
      message: 'Boom',
      phase: 'rsc',
      kind: 'navigation',
      route: '/boom',
      request: { method: 'GET', path: '/boom?token', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
      runtime: `Node ${process.versions.node}`,
    });
    expect(posted[0]?.frames?.[0]).toMatchObject({
      source: 'packages/report/src/next/report-request-error.test.ts',
      inApp: true,
    });
    expect(posted[0]?.causes?.[0]?.frames?.[0]?.source).toBe('packages/report/src/next/report-request-error.test.ts');
  });

  it('has the path of the browser, with the base path of the app', async () => {
    vi.resetModules();
    vi.doMock('./read-build.ts', () => ({
      findBuild: () => '/app/.next',
      readBuildId: () => undefined,
      readBasePath: (built: string) => (built === '/app/.next' ? '/shop' : ''),
    }));
    const { onRequestError: onError } = await import('./index.ts');
    for (const asked of ['/boom?token=abc', '/', '/shop/boom', '/shopping']) {
      await onError(new Error('x'), { ...request, path: asked }, context);
    }
    await vi.waitFor(() => expect(posted).toHaveLength(4));
    vi.doUnmock('./read-build.ts');
    expect(posted.map(({ request: from }) => from?.path)).toEqual([
      '/shop/boom?token',
      '/shop/',
      '/shop/boom',
      '/shop/shopping',
    ]);
  });

  it('names the build that runs, unless the operator names a release', async () => {
    expect((await report(new Error('x')))?.release).toBeUndefined();
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('NEXT_DEPLOYMENT_ID', 'dpl-7');
    expect((await report(new Error('x')))?.release).toBe('dpl-7');
    vi.stubEnv('FLIGHT_RELEASE', 'v7');
    expect((await report(new Error('x')))?.release).toBe('v7');
  });

  it.each([
    ['render', 'server-rendering', 'ssr', 'navigation'],
    ['render', 'react-server-components-payload', 'rsc', 'navigation'],
    ['action', undefined, 'action', 'action'],
    ['route', undefined, 'route', 'other'],
    ['proxy', undefined, 'proxy', 'other'],
    ['middleware', undefined, 'proxy', 'other'],
    ['something new', undefined, 'unknown', 'other'],
  ])('says that %s (%s) is %s', async (routeType, renderSource, phase, kind) => {
    expect(await report(new Error('x'), request, { routeType, renderSource })).toMatchObject({ phase, kind });
  });

  it('says that a form without JavaScript whose action fails is an action of its page', async () => {
    const ofForm = { routeType: 'render', routePath: '/cart/page' };
    const told = await report(new Error('x'), { ...request, method: 'POST' }, ofForm);
    expect(told).toMatchObject({ phase: 'action', kind: 'action', route: '/cart' });
    expect(await report(new Error('x'), { ...request, method: 'GET' }, ofForm)).toMatchObject({ phase: 'rsc' });
  });

  it('does nothing in the edge runtime, without an address, and for control flow', async () => {
    await report(Object.assign(new Error('x'), { digest: 'NEXT_REDIRECT;push;/x;307;' }));
    vi.stubEnv('NEXT_RUNTIME', 'edge');
    await report(new Error('x'));
    vi.stubEnv('NEXT_RUNTIME', 'nodejs');
    vi.stubEnv('FLIGHT_RECORDER', '');
    await report(new Error('x'));
    expect(posted).toEqual([]);
  });

  it('says once that an address is none', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    vi.stubEnv('FLIGHT_RECORDER', 'http://no-key.test/shop');
    await onRequestError(new Error('x'), request, context);
    await onRequestError(new Error('x'), request, context);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('FLIGHT_RECORDER must be like'));
  });

  it('never throws, whatever Next hands it', async () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
      },
    );
    for (const value of [null, 5, hostile]) {
      await expect(report(value, value, value)).resolves.toMatchObject({ phase: 'unknown' });
    }
  });
});
