import { expect, it } from 'vitest';

import { createAddressFinder } from './find-address.ts';

function findIn(...pieces: readonly string[]): string | undefined {
  const { write, find } = createAddressFinder();
  for (const piece of pieces) write(Buffer.from(piece));
  return find();
}

it.each([
  ['  ➜  Local:   http://localhost:5173/\n  ➜  Network: use --host', 'http://localhost:5173'],
  [
    '  \u001b[32m➜\u001b[39m  Local: \u001b[36mhttp://localhost:\u001b[1m5173\u001b[22m/\u001b[39m',
    'http://localhost:5173',
  ],
  ['- Network: http://192.168.0.7:3001\n- Local: http://127.0.0.1:3001', 'http://127.0.0.1:3001'],
  ['listening on http://0.0.0.0:8080', 'http://localhost:8080'],
  ['listening on http://[::]:8080', 'http://localhost:8080'],
  ['see https://nextjs.org/docs', undefined],
  ['listening on 3001', undefined],
])('in %j it is %s', (text, address) => {
  expect(findIn(text)).toBe(address);
});

it('is found over the ends of pieces, and not beyond the first lines', () => {
  expect(findIn('Local: http://local', 'host:5173/\n')).toBe('http://localhost:5173');
  expect(findIn(' '.repeat(70_000), 'http://localhost:5173')).toBe(undefined);
});
