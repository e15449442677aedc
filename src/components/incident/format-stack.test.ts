import { describe, expect, it } from 'vitest';

import { formatStack, groupFrames } from './format-stack.ts';

const own = { fn: 'Page', file: '/app/dist/x.js', line: 2, column: 9, source: 'src/pages/x.tsx', inApp: true };
const foreign = { fn: '', file: 'node:internal/timers', line: 5, column: 1, inApp: false };

describe('formatStack', () => {
  it('names the source where it is known', () => {
    expect(formatStack({ name: 'TypeError', message: 'no', frames: [own, foreign] })).toBe(
      'TypeError: no\n    at Page (src/pages/x.tsx:2:9)\n    at node:internal/timers:5:1',
    );
  });
});

describe('groupFrames', () => {
  it('keeps the order and joins neighbours that are not ours', () => {
    expect(groupFrames([foreign, foreign, own, foreign])).toEqual([
      { type: 'foreign', frames: [foreign, foreign] },
      { type: 'own', frame: own },
      { type: 'foreign', frames: [foreign] },
    ]);
  });
});
