import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Navigate } from './use-navigate.ts';

const router = { push: vi.fn(async () => {}), replace: vi.fn(async () => {}), reload: vi.fn(async () => {}) };
const assign = vi.fn();

beforeEach(() => {
  vi.resetModules();
  vi.clearAllMocks();
  vi.stubEnv('WAKU_CONFIG_BASE_PATH', '/shop/');
  const here = { href: 'http://app.test/shop/cart', origin: 'http://app.test' };
  vi.stubGlobal('location', { ...here, assign, replace: assign });
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

async function open(): Promise<Navigate> {
  const [{ connectRouter }, { useNavigate }] = await Promise.all([
    import('./router-connection.ts'),
    import('./use-navigate.ts'),
  ]);
  const route = { path: '/cart', query: '' };
  connectRouter({ router, fetchRsc: vi.fn(), route, isFailed: false, isAtHand: () => false });
  return useNavigate();
}

it("takes the app's paths below its base, as links do", async () => {
  const { push, replace } = await open();
  await push('/about?tab=1#top');
  expect(router.push).toHaveBeenCalledExactlyOnceWith('/about?tab=1#top', {});
  await replace('/', { scroll: false });
  expect(router.replace).toHaveBeenCalledExactlyOnceWith('/', { scroll: false });
  await push('?tab=2');
  expect(router.push).toHaveBeenLastCalledWith('/cart?tab=2', {});
  expect(assign).not.toHaveBeenCalled();
});

it('leaves other sites, and other apps of this one, to the browser', async () => {
  const { push } = await open();
  await push('https://other.test/a');
  await push('../docs');
  expect(assign.mock.calls.map(([url]) => String(url))).toEqual(['https://other.test/a', 'http://app.test/docs']);
  expect(router.push).not.toHaveBeenCalled();
});

it('loads the page that is shown again', async () => {
  await (await open()).reload();
  expect(router.reload).toHaveBeenCalledExactlyOnceWith();
});
