import { expect, it } from 'vitest';

import { createHeld } from './hold-contents.ts';

function create() {
  const read: string[] = [];
  const held = createHeld(async (blob) => {
    read.push(`${blob.size}`);
    return { kind: 'flights', flights: [], leftOut: [] };
  });
  const open = (id: string, size: number) => held.read({ id, blob: new Blob(['x'.repeat(size)]), isPasted: false });
  return { open, read };
}

it('holds what was found in three files, those that were looked at last', async () => {
  const { open, read } = create();
  for (const id of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'b']) await open(id, id.charCodeAt(0));
  // `b` gave way to `d`, and is read anew.
  expect(read).toEqual(['97', '98', '99', '100', '98']);
});

it('holds a large file while it is the last, and no longer', async () => {
  const { open, read } = create();
  const large = 5 * 1024 * 1024;
  await open('large', large);
  await open('large', large);
  await open('small', 1);
  await open('small', 1);
  await open('large', large);
  await open('small', 1);
  expect(read).toEqual([`${large}`, '1', `${large}`, '1']);
});
