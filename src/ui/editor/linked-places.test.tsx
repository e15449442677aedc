import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import { ownApp } from '#src/store/own-app.ts';

import type { SourcePlace } from './fill-template.ts';
import { LinkedPlaces } from './linked-places.tsx';

// It asks for the request's headers, which the framework has for React's server alone.
vi.mock('./editor-link.tsx', () => ({
  EditorLink: ({ file, at, children }: { file: string; at: SourcePlace; children: ReactNode }) => (
    <a href={`editor:${file}:${at.line}:${at.column}`}>{children}</a>
  ),
}));

function render(text: string, app = ownApp): string {
  return renderToStaticMarkup(<LinkedPlaces text={text} app={app} />);
}

it('links the places of a component stack, and leaves the rest as it is', () => {
  const stack =
    'at List (src/a b.tsx:1:2)\n    at Page (src/page.tsx:12:3)\n    at main (<anonymous>)\n    at Suspense';
  expect(render(stack)).toBe(
    'at List (src/a <a href="editor:b.tsx:1:2">b.tsx:1:2</a>)\n    at Page (<a href="editor:src/page.tsx:12:3">src/page.tsx:12:3</a>)\n' +
      '    at main (&lt;anonymous&gt;)\n    at Suspense',
  );
});

it('links a place without a column', () => {
  expect(render('src/pages/index.tsx:7')).toBe('<a href="editor:src/pages/index.tsx:7:1">src/pages/index.tsx:7</a>');
});

it('links nothing of another app', () => {
  expect(render('src/page.tsx:12:3', 'shop')).toBe('src/page.tsx:12:3');
});

it('looks for a hundred files at most, and ends soon for what is no place', () => {
  expect(render('a.tsx:1:1 '.repeat(300)).match(/<a /g)).toHaveLength(100);
  const started = process.cpuUsage();
  const long = ':1'.repeat(50_000);
  expect(render(`${long}x`)).toBe(`${long}x`);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});
