import { describe, expect, it } from 'vitest';

import { computeFingerprint } from './fingerprint.ts';
import type { SourceFrame } from './source-maps.ts';

function frame(source: string, fn: string, line: number, inApp = true): SourceFrame {
  return { fn, file: `/dist/${source}`, source, line, column: 1, inApp };
}

const own = [frame('src/pages/order.tsx', 'OrderPage', 12), frame('src/orders/load.ts', 'loadOrder', 40)];

describe('computeFingerprint', () => {
  const base = computeFingerprint({ name: 'Error', message: 'Order 1 not found', frames: own });

  it('is the same after a rebuild moved lines, renamed a collision and bundled React elsewhere', () => {
    const rebuilt = [
      frame('src/pages/order.tsx', 'OrderPage$1', 17),
      frame('node_modules/react/index.js', 'renderElement', 900, false),
      frame('src/orders/load.ts', 'loadOrder', 44),
    ];
    expect(computeFingerprint({ name: 'Error', message: 'Order 2 not found', frames: rebuilt })).toBe(base);
  });

  it('differs by type, by function and by file', () => {
    const [first, second] = own;
    const variants = [
      { name: 'TypeError', message: '', frames: own },
      { name: 'Error', message: '', frames: [frame('src/pages/order.tsx', 'OrderRow', 12), ...own.slice(1)] },
      { name: 'Error', message: '', frames: [frame('src/pages/cart.tsx', 'OrderPage', 12), ...own.slice(1)] },
      { name: 'Error', message: '', frames: own.slice(0, 1) },
    ];
    expect(first && second).toBeTruthy();
    expect(new Set([base, ...variants.map(computeFingerprint)]).size).toBe(5);
  });

  it('falls back to the message without its values', () => {
    const message = 'User 4711 (ada@example.com) timed out after 1500.5 ms at https://api.example.com/u/1?x=2';
    const other = 'User 9 (bob@example.org) timed out after 3 ms at http://127.0.0.1/';
    const of = (text: string) => computeFingerprint({ name: 'thrown string', message: text, frames: [] });
    expect(of(message)).toBe(of(other));
    expect(of(message)).not.toBe(of('User 4711 timed out'));
  });

  it('names what it took out of the message', () => {
    const of = (message: string) => computeFingerprint({ name: 'thrown string', message, frames: [] });
    expect(of('row 7 of 0f8fad5b-d9cb-469f-a165-70867728950e, sha deadbeef01, by a@b.co')).toBe(
      of('row <n> of <uuid>, sha <hex>, by <email>'),
    );
  });
});
