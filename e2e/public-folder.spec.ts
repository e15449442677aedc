import { readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from './testing/test.ts';

/**
 * What the build put where everybody can fetch it, without signing in. A page is prerendered unless it says otherwise.
 * So a new page that forgets this appears here. Then it must be added to this list by hand, or be made dynamic.
 */
const prerendered = [
  '404',
  'about',
  'decode',
  'lab',
  'lab/prefetch',
  'lab/prerendered',
  'protocol',
  ...[3, 6, 9, 12, 15, 18, 21, 24, 27, 30].map((number) => `lab/prefetch/${number}`),
];
const expected = [
  'favicon.svg',
  ...prerendered.flatMap((name) => [name === '404' ? '404.html' : `${name}/index.html`, `RSC/R/${name}.txt`]),
];

const hashedAsset = /^assets\/[\w-]+-[\w-]{8}\.(?:js|css)$/;

test('the public folder holds hashed assets, the icon, and the pages that are known to be static', () => {
  const folder = path.resolve('dist/public');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
  expect(files.filter((file) => hashedAsset.test(file)).length).toBeGreaterThan(0);
  expect(files.filter((file) => !hashedAsset.test(file)).toSorted()).toEqual(expected.toSorted());
});
