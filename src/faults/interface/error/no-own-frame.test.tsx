import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

import { NoOwnFrame } from './no-own-frame.tsx';

function frameIn(file: string, more: Partial<SourceFrame> = {}): SourceFrame {
  return { fn: 'renderModelDestructive', file, line: 1, column: 1, inApp: false, ...more };
}

const bundle = frameIn('/srv/shop/dist/server/index.js');
const react = frameIn('/srv/shop/dist/server/index.js', { source: 'node_modules/react-server-dom-webpack/server.js' });
const refused =
  'Only plain objects, and a few built-ins, can be passed to Client Components from Server Components. Classes or null prototypes are not supported.\n' +
  '  {cart: {items: [1]}}\n         ^^^^^^^^^^^^';

function render(message: string, frames: readonly SourceFrame[], framework = 'waku', app = 'shop'): string {
  return renderToStaticMarkup(<NoOwnFrame error={{ app, framework, frames, message }} />);
}

it('names what React refused, and no source map', () => {
  for (const frames of [[react], [bundle], [react, frameIn('node:internal/timers')]]) {
    const text = render(refused, frames);
    expect(text).toContain('The stack is React’s alone');
    expect(text).toContain('<code>cart</code>');
    expect(text).toContain('<pre>  {cart: {items: [1]}}\n         ^^^^^^^^^^^^</pre>');
    expect(text).not.toContain('source map');
  }
  expect(render(refused, [react], '', ownApp)).toContain('<code>cart</code>');
});

it('blames no missing source map for frames of dependencies and of Node', () => {
  const text = render('no', [react, frameIn('node:internal/timers'), frameIn('/srv/node_modules/pg/client.js')]);
  expect(text).toContain('thrown by React, Node or a dependency');
  expect(text).not.toContain('source map');
});

it('says that built files have no map, and of Next.js how they get one', () => {
  expect(render('no', [bundle])).toContain('no source map was read');
  expect(render('no', [bundle])).not.toContain('Next.js');
  expect(render('no', [bundle], 'next')).toContain('experimental.serverSourceMaps');
});

it('speaks of no source map where frames name their sources: they are told to be of libraries', () => {
  const python = frameIn('django/core/handlers/exception.py', { source: 'django/core/handlers/exception.py' });
  const vendored = frameIn('/srv/shop/dist/server/index.js', { source: 'vendor/pdf.js' });
  for (const frames of [[python], [react, vendored]]) {
    const text = render('no', frames, '');
    expect(text).toContain('taken for libraries’');
    expect(text).not.toContain('source map');
  }
  // One of them may be the app's own, if only its map were there.
  expect(render('no', [react, bundle])).toContain('source map');
});

it('says nothing where a frame is the app’s own, or where there is none', () => {
  expect(render(refused, [react, frameIn('a.js', { inApp: true })])).toBe('');
  expect(render(refused, [])).toBe('');
});
