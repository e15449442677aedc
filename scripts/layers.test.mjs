import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { everything, layers } from './layers.mjs';

/** Layers with the same rights share a line. */
function printLayers() {
  const lines = new Map();
  for (const [layer, allowed] of Object.entries(layers)) {
    const key = allowed.includes(everything)
      ? 'everything'
      : allowed.map((name) => `\`${name}\``).join(', ') || 'nothing of ours';
    lines.set(key, [...(lines.get(key) ?? []), `\`${layer}\``]);
  }
  return [...lines].map(([allowed, names]) => ({ names: names.join(', '), allowed }));
}

test('AGENTS.md shows the table that the lint rule keeps', () => {
  const text = readFileSync(new URL('../AGENTS.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('## Who may import whom');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const shown = rows.map((row) => {
    const [, names = '', allowed = ''] = row.split('|').map((cell) => cell.trim());
    return { names, allowed };
  });
  expect(shown).toEqual(printLayers());
});
