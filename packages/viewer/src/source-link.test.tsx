import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { FindingItem } from './findings/finding-item.tsx';
import { OpenSource, SourceLink } from './source-link.tsx';
import { performUnderstandTask } from './understand-task.ts';
import { ViewerAddressesContext, type ViewerAddresses } from './viewer-addresses.ts';

const recorded = path.join(import.meta.dirname, '../../flight/fixtures/react-19.3.1-development/waits.flight');
const place = { file: '/srv/plain/app/reviews.js', line: 7, column: 1 };

const withEditor: ViewerAddresses = {
  openSource: ({ file, line, column }) => (file.startsWith('/srv/') ? `editor:${file}:${line}:${column}` : undefined),
};

function render(node: ReactNode, addresses: ViewerAddresses = withEditor): string {
  return renderToStaticMarkup(<ViewerAddressesContext value={addresses}>{node}</ViewerAddressesContext>);
}

it('leads to the editor where there is one, and is its text elsewhere', () => {
  const link = <SourceLink place={place}>reviews.js</SourceLink>;
  expect(render(link)).toBe('<a href="editor:/srv/plain/app/reviews.js:7:1" title="Open in the editor">reviews.js</a>');
  // A file that was saved, and /decode.
  expect(render(link, {})).toBe('reviews.js');
  expect(render(<SourceLink place={{ ...place, file: '/etc/passwd' }}>reviews.js</SourceLink>)).toBe('reviews.js');
  expect(render(<SourceLink place={undefined}>reviews.js</SourceLink>)).toBe('reviews.js');
});

it('adds nothing beside a text without an editor', () => {
  expect(render(<OpenSource place={place} />)).toContain('>app/reviews.js:7</a>');
  expect(render(<OpenSource place={place} />, {})).toBe('');
});

it('leads from a wait to what was awaited, and from each of its parts', () => {
  const bytes = new Uint8Array(readFileSync(recorded));
  const flight = decodeFlight(bytes);
  const chunks: { ms: number; bytes: number }[] = JSON.parse(
    readFileSync(recorded.replace('.flight', '.times.json'), 'utf8'),
  );
  const { findings } = performUnderstandTask({ flight, chunks });
  const html = findings
    .filter(({ kind }) => kind === 'wait')
    .map((finding) =>
      render(<FindingItem finding={finding} flight={flight} total={1} transfer={undefined} onOpen={() => {}} />),
    )
    .join('');
  expect(html).toContain('href="editor:/srv/plain/app/reviews.js:4:');
});
