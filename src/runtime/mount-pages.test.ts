import { expect, it } from 'vitest';

import { mountPages } from './mount-pages.ts';

const files = [
  './pages/_root.tsx',
  './pages/404.tsx',
  './pages/index.tsx',
  './pages/flights/[id].tsx',
  './pages/lab/404.tsx',
  './pages/_api/flights/events.ts',
];

function mount(path: string): string[] {
  return Object.keys(mountPages(Object.fromEntries(files.map((file) => [file, file])), path));
}

it('leaves all pages where they are at the root of the server', () => {
  expect(mount('')).toEqual(files);
});

it('puts pages and endpoints below the mount path, and leaves what the router looks for at the root', () => {
  expect(mount('/shop/_flight')).toEqual([
    './pages/_root.tsx',
    './pages/404.tsx',
    './pages/shop/_flight/index.tsx',
    './pages/shop/_flight/flights/[id].tsx',
    './pages/shop/_flight/lab/404.tsx',
    './pages/_api/shop/_flight/flights/events.ts',
  ]);
});
