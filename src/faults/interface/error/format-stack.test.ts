import { describe, expect, it } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { describeForeign, findTellingFrame, formatStack, groupFrames } from './format-stack.ts';

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

describe('describeForeign', () => {
  function frameOf(file: string, source?: string): SourceFrame {
    return { fn: 'f', file, line: 1, column: 1, inApp: false, ...(source === undefined ? {} : { source }) };
  }

  it.each([
    ['One frame of react-dom', [frameOf('/dist/a.js', 'node_modules/react-dom/cjs/x.js')]],
    [
      '3 frames of @sentry/node and Node',
      [
        frameOf('/srv/node_modules/.pnpm/@sentry+node@11/node_modules/@sentry/node/build/x.js'),
        frameOf('C:\\app\\node_modules\\@sentry\\node\\x.js'),
        frameOf('node:internal/process/task_queues'),
      ],
    ],
    ['3 frames of a, b and c', ['a', 'b', 'c'].map((name) => frameOf(`/node_modules/${name}/x.js`))],
    ['One frame of built files, without a source map', [frameOf('.next/server/app/page.js')]],
    ['2 frames of React, dependencies or Node', [frameOf('/node_modules/a/x.js'), frameOf('/dist/server/b.js')]],
    [
      '4 frames of React, dependencies or Node',
      ['a', 'b', 'c', 'd'].map((name) => frameOf(`/node_modules/${name}/x.js`)),
    ],
  ])('%s', (expected, frames) => {
    expect(describeForeign(frames)).toBe(expected);
  });
});
