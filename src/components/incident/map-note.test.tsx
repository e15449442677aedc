import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { MapNote } from './map-note.tsx';

const frame: SourceFrame = { fn: 'a', file: '/assets/index-4f3c.js', line: 1, column: 9, inApp: true };
const known: SourceFrame = { ...frame, source: 'src/a.ts' };

function show(frames: readonly SourceFrame[], app = 'shop'): string {
  return renderToStaticMarkup(<MapNote app={app} frames={frames} />);
}

it('names the first file of the app without a map, and where the app is told how to upload it', () => {
  const shown = show([known, frame]);
  expect(shown).toContain('/assets/index-4f3c.js');
  expect(shown).toContain('href="/apps/shop"');
});

it.each([
  ['a source', [known]],
  ['lines of code that the sender gave', [{ ...frame, context: { firstLine: 1, lines: ['a'] } }]],
  ['a library’s file', [{ ...frame, inApp: false }]],
])('says nothing of %s', (_, frames) => {
  expect(show(frames)).toBe('');
});

it('says nothing of our own build, whose maps nobody uploads', () => {
  expect(show([frame], 'flight-recorder')).toBe('');
});
