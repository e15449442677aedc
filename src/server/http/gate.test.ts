import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createGate } from './gate.ts';

let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  const keep = (text: unknown) => lines.push(JSON.parse(String(text))) > 0;
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** How many of `count` requests of an address get in. */
function enter(gate: ReturnType<typeof createGate>, address: string, count: number): (() => void)[] {
  return Array.from({ length: count }, () => gate.enter(address)).filter((leave) => leave !== undefined);
}

describe('places that are shared by network', () => {
  it('leave room for whoever comes new', () => {
    const gate = createGate('login', { limit: 16, sharedBy: 'network' });
    expect(enter(gate, '192.0.2.1', 100)).toHaveLength(8);
    expect(enter(gate, '192.0.2.2', 100)).toHaveLength(4);
    expect(enter(gate, '192.0.2.3', 100)).toHaveLength(2);
    expect(enter(gate, '192.0.2.4', 1)).toHaveLength(1);
    expect(enter(gate, '192.0.2.5', 1)).toHaveLength(1);
    expect(enter(gate, '192.0.2.6', 1)).toHaveLength(0);
  });

  it('are one network’s, whatever address of it they are asked from', () => {
    const gate = createGate('login', { limit: 16, sharedBy: 'network' });
    const leaves = Array.from({ length: 20 }, (_, index) => gate.enter(`2001:db8::${index}`));
    expect(leaves.filter((leave) => leave !== undefined)).toHaveLength(8);
    leaves[0]?.();
    // Twice is once.
    leaves[0]?.();
    expect(enter(gate, '2001:db8::ffff', 9)).toHaveLength(1);
    expect(enter(gate, '2001:db8:0:1::1', 9)).toHaveLength(4);
  });

  it('are everybody’s where no address is known, and where they are not shared', () => {
    expect(enter(createGate('login', { limit: 16, sharedBy: 'network' }), '', 20)).toHaveLength(16);
    expect(enter(createGate('page', { limit: 16 }), '192.0.2.1', 20)).toHaveLength(16);
  });
});

it('says whether there is a place, for a network its own share, and takes none', () => {
  const gate = createGate('login', { limit: 16, sharedBy: 'network' });
  enter(gate, '192.0.2.1', 7);
  expect([gate.hasRoom('192.0.2.1'), gate.hasRoom('192.0.2.1')]).toEqual([true, true]);
  enter(gate, '192.0.2.1', 1);
  expect([gate.hasRoom('192.0.2.1'), gate.hasRoom('192.0.2.2'), gate.hasRoom('')]).toEqual([false, true, true]);
  expect(lines).toEqual([]);
});

it('one line says that there are too many, and one that there is room again', () => {
  const gate = createGate('login', { limit: 16, sharedBy: 'network' });
  const leaves = enter(gate, '192.0.2.1', 12);
  // One goes and one comes, as in a flood.
  for (let count = 0; count < 5; count += 1) {
    leaves.pop()?.();
    leaves.push(...enter(gate, '192.0.2.1', 2));
  }
  expect(lines).toMatchObject([{ event: 'too-many-at-once', class: 'login', limit: 16 }]);
  for (const leave of leaves) leave();
  expect(lines.slice(1)).toMatchObject([{ event: 'room-again', turnedAway: 9 }]);
});

it('is stuck when every place has been taken for 5 s and none was given back', () => {
  vi.useFakeTimers();
  const gate = createGate('page', { limit: 2 });
  const [first] = enter(gate, '', 1);
  vi.advanceTimersByTime(10_000);
  const [second] = enter(gate, '', 1);
  vi.advanceTimersByTime(4_000);
  expect(gate.isStuck()).toBe(false);
  second?.();
  enter(gate, '', 1);
  vi.advanceTimersByTime(4_000);
  expect(gate.isStuck()).toBe(false);
  vi.advanceTimersByTime(1_001);
  expect(gate.isStuck()).toBe(true);
  first?.();
  expect(gate.isStuck()).toBe(false);
});
