import { expect, it, vi } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { resolveCauses, resolveShown } from './resolve-shown.ts';
import { resolveAppFrames } from '../source-maps/resolve-app-frames.ts';

vi.mock('../source-maps/resolve-app-frames.ts', async (load) => ({
  ...(await load<typeof import('../source-maps/resolve-app-frames.ts')>()),
  resolveAppFrames: vi.fn((_app: string, _release: string, frames: readonly SourceFrame[]) =>
    Promise.resolve(
      frames.map((frame) =>
        frame.file.endsWith('known.js')
          ? { ...frame, fn: 'addItem', line: 7, source: 'src/cart.ts', inApp: true }
          : { ...frame, inApp: true },
      ),
    ),
  ),
}));

function frameOf(file: string, source?: string): SourceFrame {
  return { fn: 'a', file, line: 1, column: 900, inApp: false, ...(source === undefined ? {} : { source }) };
}

it('asks for the frames that had no map when they came, and leaves the others as they are', async () => {
  const resolved = frameOf('/assets/known.js', 'src/older.ts');
  const unknown = frameOf('/assets/other.js');
  const node = frameOf('node:internal/timers');
  const shown = await resolveShown('shop', '42', [frameOf('/assets/known.js'), resolved, unknown, node]);
  expect(shown.map(({ source, fn }) => [source, fn])).toEqual([
    ['src/cart.ts', 'addItem'],
    ['src/older.ts', 'a'],
    [undefined, 'a'],
    [undefined, 'a'],
  ]);
  // What no map knows stays what its sender said: a library.
  expect(shown[2]).toEqual(unknown);
  expect(resolveAppFrames).toHaveBeenCalledExactlyOnceWith('shop', '42', [frameOf('/assets/known.js'), unknown]);
});

it('asks for nothing where every frame has its source', async () => {
  vi.mocked(resolveAppFrames).mockClear();
  const frames = [frameOf('/assets/known.js', 'src/cart.ts'), frameOf('node:fs')];
  expect(await resolveShown('shop', '42', frames)).toBe(frames);
  expect(resolveAppFrames).not.toHaveBeenCalled();
});

it('keeps the frames that came with a cause, and asks for those without a source', async () => {
  const stack = 'Error: no price\n    at a (/srv/dist/server/a.js:1:900)';
  const thrower = { side: 'server', app: 'shop', release: '42' } as const;
  const frames = [frameOf('/srv/dist/server/a.js', 'src/prices.ts'), frameOf('/assets/known.js')];
  const [cause] = await resolveCauses(thrower, [{ name: 'Error', message: 'no price', stack, frames }]);
  expect(cause?.frames.map(({ source }) => source)).toEqual(['src/prices.ts', 'src/cart.ts']);
});

it('reads the stacks of causes, which are stored as text', async () => {
  const stack = 'Error: no price\n    at a (https://shop.example/assets/known.js:1:900)';
  const thrower = { side: 'browser', app: 'shop', release: '42' } as const;
  const [cause] = await resolveCauses(thrower, [{ name: 'Error', message: 'no price', stack }]);
  expect(cause?.frames).toMatchObject([{ fn: 'addItem', source: 'src/cart.ts', line: 7 }]);
});
