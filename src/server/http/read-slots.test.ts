import { describe, expect, it } from 'vitest';

import { createReadSlots, type ReadSlots } from './read-slots.ts';

const limits = { own: 3, all: 8 };

/** Names of those that gave way, in order. */
function createRoom(): { room: ReadSlots; gone: string[]; read: (address: string, name: string) => () => void } {
  const room = createReadSlots(limits);
  const gone: string[] = [];
  return { room, gone, read: (address, name) => room.enter(address, () => void gone.push(name)) };
}

describe('whoever comes new', () => {
  it('takes the place of the oldest of its own network, IPv6 by its /64', () => {
    const { gone, read } = createRoom();
    for (const name of ['1', '2', '3']) read('192.0.2.1', name);
    for (const name of ['a', 'b', 'c', 'd']) read(`2001:db8::${name}`, name);
    expect(gone).toEqual(['a']);
    read('192.0.2.1', '4');
    read('192.0.2.1', '5');
    expect(gone).toEqual(['a', '1', '2']);
  });

  it('takes it of the network that has most, when there are too many in all', () => {
    const { gone, read } = createRoom();
    for (const name of ['a', 'b']) read('192.0.2.1', name);
    for (const name of ['1', '2', '3']) read('192.0.2.2', name);
    for (const name of ['x', 'y']) read('192.0.2.3', name);
    read('192.0.2.4', 'last');
    expect(gone).toEqual([]);
    read('192.0.2.5', 'one more');
    expect(gone).toEqual(['1']);
  });

  it('takes nobody’s when somebody has left', () => {
    const { gone, read } = createRoom();
    const leave = read('192.0.2.1', '1');
    for (const name of ['2', '3']) read('192.0.2.1', name);
    leave();
    read('192.0.2.1', '4');
    expect(gone).toEqual([]);
    read('192.0.2.1', '5');
    // Who has given way leaves, too.
    expect(gone).toEqual(['2']);
  });
});
