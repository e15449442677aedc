import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { printLayers } from './layers.mjs';

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
