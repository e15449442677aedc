import { expect, it, vi } from 'vitest';

import { askMap } from './ask-maps.ts';

const asked: string[] = [];

vi.mock('./start-thread.ts', () => ({
  /** One that ends with every map. */
  startThread: () => ({
    async ask({ map }: { readonly map: { readonly file: string } }) {
      asked.push(map.file);
      throw new Error('the thread has ended');
    },
    hasEnded: () => false,
    end: () => undefined,
  }),
}));

async function ask(app: string, name: string): Promise<boolean> {
  const before = asked.length;
  await askMap({ type: 'stored', file: `/maps/${app}/${name}` }, [{ line: 1, column: 1 }], 5_000);
  return asked.length > before;
}

it('remembers the bad maps of one app, however many another has', async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  expect(await ask('shop', 'a')).toBe(true);
  for (let n = 0; n < 1_200; n += 1) expect(await ask('flood', String(n))).toBe(true);
  expect(await ask('shop', 'a')).toBe(false);
  expect(await ask('flood', '1199')).toBe(false);
  // The same map of another app is another map: it may be read.
  expect(await ask('other', 'a')).toBe(true);
  // Those that were noted first made room.
  expect(await ask('flood', '0')).toBe(true);
  vi.restoreAllMocks();
});
