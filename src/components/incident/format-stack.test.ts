import { describe, expect, it } from 'vitest';

import { findTellingFrame, formatStack, groupFrames } from './format-stack.ts';

const own = { fn: 'Page', file: '/app/dist/x.js', line: 2, column: 9, source: 'src/pages/x.tsx', inApp: true };
const foreign = { fn: '', file: 'node:internal/timers', line: 5, column: 1, inApp: false };

describe('formatStack', () => {
  it('names the source where it is known', () => {
    expect(formatStack({ name: 'TypeError', message: 'no', frames: [own, foreign] })).toBe(
      'TypeError: no\n    at Page (src/pages/x.tsx:2:9)\n    at node:internal/timers:5:1',
    );
  });
});

describe('findTellingFrame', () => {
  const factory = { ...own, fn: 'createPageDataError', source: 'src/runtime/page-data/page-data-error.ts' };
  const inner = { ...own, fn: 'Part', source: 'src/lab/part.tsx' };

  it('is the innermost one outside the runtime', () => {
    expect(findTellingFrame([foreign, factory, foreign, inner, own])).toBe(inner);
  });

  it('is the innermost one of the runtime when there is no other', () => {
    expect(findTellingFrame([foreign, factory, { ...factory, fn: 'outer' }])).toBe(factory);
  });

  it('is none when nothing is ours', () => {
    expect(findTellingFrame([foreign])).toBeUndefined();
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
