import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { alone, base, layers, printLayers, product } from './layers.mjs';

const text = readFileSync(new URL('../AGENTS.md', import.meta.url), 'utf8');
const [, section = ''] = text.split('## Who may import whom');

function quote(names) {
  return names.map((name) => `\`${name}\``).join(', ');
}

test('AGENTS.md shows the table that the lint rule keeps', () => {
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const shown = rows.map((row) => {
    const [, names = '', allowed = ''] = row.split('|').map((cell) => cell.trim());
    return { names, allowed };
  });
  expect(shown).toEqual(printLayers());
});

test('AGENTS.md names what nearly all layers import, which do not, and what the product is', () => {
  expect(section.replace(/\s+/g, ' ')).toContain(
    `Every layer but ${quote(Object.keys(alone))} may import ${quote(base)}`,
  );
  expect(section.replace(/\s+/g, ' ')).toContain(`the product is ${quote(product)}`);
  expect(layers.flight).toEqual([]);
  expect(layers.runtime).toEqual(base);
});
