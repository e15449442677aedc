import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { MapNote } from './map-note.tsx';

vi.mock('#src/faults/source-maps/keep-app-maps.ts', () => ({ areMapsKept: (app: string) => app === 'beside' }));

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

it('asks nobody to upload the maps of an app beside this server, which tells where they are', () => {
  const shown = show([frame], 'beside');
  expect(shown).toContain('/assets/index-4f3c.js');
  expect(shown).not.toContain('sentry-cli');
  // React's frames, beside one of the app's.
  expect(show([known, frame], 'beside')).toBe('');
});
