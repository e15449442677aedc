import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());

async function render(options: Record<string, unknown> = {}): Promise<string> {
  vi.doMock('virtual:flight-recorder/options', async (original) => ({
    ...(await original<Record<string, unknown>>()),
    ...options,
  }));
  const { FlightRecorderLink: Link } = await import('./link.tsx');
  return renderToStaticMarkup(
    <Link to="/about" replace prefetch="never" className="big">
      About
    </Link>,
  );
}

it('is a link without JavaScript', async () => {
  expect(await render()).toBe('<a class="big" href="/about">About</a>');
});

it("is Waku's own where the part is off, which is given nothing that it does not know", async () => {
  // Waku's needs the constants of a Waku build.
  const WakuLink = vi.fn(() => null);
  vi.doMock('waku/router/client', () => ({ Link: WakuLink }));
  await render({ navigation: false });
  expect(WakuLink).toHaveBeenCalledExactlyOnceWith({ to: '/about', className: 'big', children: 'About' }, undefined);
});
