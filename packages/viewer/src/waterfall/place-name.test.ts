import { expect, it } from 'vitest';

import { placeName } from './waterfall-lane.tsx';

it('gives a name at least half of the track, however short its bar is and wherever it stands', () => {
  expect(placeName(0, 0.1)).toEqual({ insetInlineStart: '0%', maxWidth: '100%' });
  expect(placeName(0.25, 0.5)).toEqual({ insetInlineStart: '25%', maxWidth: '75%' });
  expect(placeName(0.75, 1)).toEqual({ insetInlineEnd: '0%', maxWidth: '100%' });
  for (const start of [0, 0.2, 0.49, 0.51, 0.8, 0.98]) {
    expect(Number.parseFloat(String(placeName(start, start + 0.02).maxWidth))).toBeGreaterThanOrEqual(50);
  }
});
