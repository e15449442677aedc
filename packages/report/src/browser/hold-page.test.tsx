import { expect, it, vi } from 'vitest';

import { holdPage } from './hold-page.ts';

const asked = { headers: new Headers({ rsc: '1' }), priority: undefined };

function createSecondPart() {
  const heard: string[] = [];
  const watchAnswers = vi.fn(() => ({
    onFetch: (address: string | URL) => void heard.push(`fetch ${String(address)}`),
    onNavigation: (to: string, by: string) => void heard.push(`${by} ${to}`),
  }));
  const none = () => undefined;
  return { heard, part: { watchAnswers, addMismatch: none, addStream: async () => undefined } };
}

it('the second part hears of what came before it, in order, and of what comes after', async () => {
  const { heard, part } = createSecondPart();
  const loaded = Promise.withResolvers<typeof part>();
  const page = holdPage('/_fr/used', false, () => loaded.promise);
  page.onFetch('/a', asked, Promise.resolve(new Response()));
  page.onNavigation('/a', 'step');
  expect(heard).toEqual([]);
  loaded.resolve(part);
  await vi.waitFor(() => expect(heard).toEqual(['fetch /a', 'step /a']));
  page.onNavigation('/b', 'router');
  expect(heard.at(-1)).toBe('router /b');
  expect(part.watchAnswers.mock.calls).toEqual([['/_fr/used', false]]);
});

it('is loaded when the page is and has been painted', async () => {
  const { part } = createSecondPart();
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('interactive');
  const load = vi.fn(async () => part);
  holdPage('/_fr/used', false, load);
  expect(load).not.toHaveBeenCalled();
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => frames.push(run));
  dispatchEvent(new Event('load'));
  frames[0]?.(0);
  expect(load).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  vi.unstubAllGlobals();
});

it('is loaded at once in a page that is hidden, which is not painted', () => {
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('complete');
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const load = vi.fn(async () => createSecondPart().part);
  holdPage('/_fr/used', false, load);
  expect(load).toHaveBeenCalledOnce();
});

it('without it the page goes on', async () => {
  const gone = Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  const page = holdPage('/_fr/used', false, () => gone);
  page.onNavigation('/a', 'router');
  await expect(gone).rejects.toThrow('dynamically');
  expect(() => page.onNavigation('/b', 'router')).not.toThrow();
});
