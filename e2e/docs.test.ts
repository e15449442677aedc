import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');

/** Reads `file` “title”, “title”; `file` “title”: a title belongs to the file before it. */
function listNamedTests(text: string): { file: string; titles: string[] }[] {
  const named: { file: string; titles: string[] }[] = [];
  for (const [, file, title] of text.matchAll(/`([\w/.-]+\.(?:test|spec|nightly)\.tsx?)`|“([^”]+)”/g)) {
    if (file) named.push({ file, titles: [] });
    else if (title) named.at(-1)?.titles.push(title.replaceAll(/\s+/g, ' '));
  }
  return named;
}

function listPromises(text: string): string[] {
  const kept = text.split('\n## What is not promised')[0] ?? '';
  return kept.split(/\n(?=- |## )/).filter((part) => part.startsWith('- '));
}

describe('docs/security.md', () => {
  const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

  it('names tests that exist', () => {
    const missing = listNamedTests(text).flatMap(({ file, titles }) => {
      if (!existsSync(path.join(root, file))) return [file];
      const source = readFileSync(path.join(root, file), 'utf8');
      return titles.filter((title) => !source.includes(title)).map((title) => `${file}: ${title}`);
    });
    expect(missing).toEqual([]);
  });

  it('has a test with a title for each promise', () => {
    const promises = listPromises(text);
    expect(promises.length).toBeGreaterThan(30);
    const bare = promises.filter((promise) => !listNamedTests(promise).some(({ titles }) => titles.length > 0));
    expect(bare).toEqual([]);
  });
});

it('every file that a guide or the map links to exists', () => {
  const guides = ['README.md', 'AGENTS.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)];
  const missing = guides
    .filter((guide) => guide.endsWith('.md'))
    .flatMap((guide) => {
      const text = readFileSync(path.join(root, guide), 'utf8');
      const links = Array.from(text.matchAll(/\]\(([\w./-]+\.(?:md|png))\)/g), (match) => match[1] ?? '');
      return links.filter((link) => !existsSync(path.join(root, path.dirname(guide), link)));
    });
  expect(missing).toEqual([]);
});
