import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Navigate } from '#src/runtime/navigation/use-navigate.ts';

const router = { push: vi.fn(), replace: vi.fn(), reload: vi.fn(), back: vi.fn(), forward: vi.fn() };
const assign = vi.fn();

beforeEach(() => {
  vi.resetModules();
  vi.clearAllMocks();
  vi.doMock('waku/router/client', () => ({ useRouter: () => router }));
  vi.doMock('virtual:flight-recorder/options', async (original) => ({
    ...(await original<Record<string, unknown>>()),
    navigation: false,
  }));
  vi.stubEnv('WAKU_CONFIG_BASE_PATH', '/shop/');
  const here = { href: 'http://app.test/shop/cart', origin: 'http://app.test' };
  vi.stubGlobal('location', { ...here, assign, replace: assign });
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

async function open(): Promise<Navigate> {
  const { useNavigate } = await import('./use-navigate.ts');
  const take = vi.fn<(navigate: Navigate) => void>();
  function Page() {
    take(useNavigate());
    return null;
  }
  renderToStaticMarkup(<Page />);
  const [navigate] = take.mock.lastCall ?? [];
  if (!navigate) throw new Error('nothing was rendered');
  return navigate;
}

it("is Waku's router where the part is off, which loads no document", async () => {
  for (const call of [router.push, router.replace, router.reload]) call.mockResolvedValue(undefined);
  const { push, replace, reload } = await open();
  await push('/about', { scroll: false });
  await replace('/');
  await reload();
  expect(router.push).toHaveBeenCalledExactlyOnceWith('/about', { scroll: false });
  expect(router.replace).toHaveBeenCalledExactlyOnceWith('/', undefined);
  expect(router.reload).toHaveBeenCalledOnce();
  expect(assign).not.toHaveBeenCalled();
});

it('never rejects, and leaves other sites to the browser', async () => {
  for (const call of [router.push, router.reload]) call.mockRejectedValue(new Error('the page failed'));
  const { push, reload } = await open();
  await expect(push('/broken')).resolves.toBeUndefined();
  await expect(reload()).resolves.toBeUndefined();
  await push('https://other.test/a');
  expect(assign.mock.calls.map(([url]) => String(url))).toEqual(['https://other.test/a']);
});
