import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { isContentHash, isTurbopackHash } from './content-hash.ts';

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const base64url = `${letters}${letters.toUpperCase()}0123456789-_`;

it.each([
  ['webpack', 16, '0123456789abcdef', isContentHash],
  ['Parcel and Rspack', 8, '0123456789abcdef', isContentHash],
  ['Vite and Rollup', 8, base64url, isContentHash],
  ['esbuild', 8, `${letters.toUpperCase()}234567`, isContentHash],
  ['Turbopack', 13, `${letters}0123456789_~.-`, isTurbopackHash],
])('knows 99 of 100 hashes of %s', (_, length, alphabet, isHash) => {
  const random = createRandom(length);
  const draw = () => Array.from({ length }, () => alphabet.charAt(random() * alphabet.length)).join('');
  const missed = Array.from({ length: 10_000 }, draw).filter((hash) => !isHash(hash));
  expect(missed.length).toBeLessThan(100);
});

/** Of packages whose files nobody hashed. */
const roots = ['@opentelemetry', '@sentry', '@types', 'fast-check', 'happy-dom', 'hono', 'kysely', 'react-dom']
  .map((name) => path.join('node_modules', name))
  .concat('src', 'packages', 'e2e', 'reliability', 'scripts');

function listNames(): string[] {
  const files = roots
    .filter((root) => existsSync(root))
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }))
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/fixtures|dist[/\\]chunks/.test(file));
  return [...new Set(files.map((file) => path.basename(file).replace(/\.[cm]?[jt]sx?$/, '')))];
}

it('takes fewer than one of 200 names that people wrote for one', () => {
  const names = listNames();
  expect(names.length).toBeGreaterThan(3_000);
  const taken = names.filter((name) => {
    const [stem = '', ...rest] = name.split('.');
    const behindHyphen = /^.+?-([\w-]{8})$/.exec(stem)?.[1] ?? /^.+-(\w+)$/.exec(stem)?.[1] ?? '';
    return [stem, behindHyphen, ...rest].some(isContentHash);
  });
  expect(taken.length / names.length).toBeLessThan(0.005);
});

it.each(['users-v2', 'posts-v2', 'UIButton', 'UIDialog', 'PaymentsAPIClient', 'CustomerAPIClient', 'sha256Hash'])(
  '%s is a name',
  (name) => expect(isContentHash(name)).toBe(false),
);
