import path from 'node:path';

import { expect, test } from 'vitest';

import house from './oxlint-house.mjs';

const root = path.join(import.meta.dirname, '..');

/** What the rule says of an import in a file. */
function lint(file, specifier) {
  const messages = [];
  const filename = path.join(root, file);
  const visitor = house.rules.layers.create({ filename, report: ({ message }) => messages.push(message) });
  visitor.ImportDeclaration({ source: { value: specifier } });
  return messages;
}

test.each([
  ['src/pages/decode.tsx', '../../packages/flight/src/row.ts'],
  ['src/http/refuse.ts', '../../packages/flight/src/row.ts'],
  ['src/components/decode/decode-task.test.ts', '../../../packages/flight/src/row.ts'],
  ['bench/decode.ts', '../packages/flight/src/visit-flight.ts'],
  ['e2e/decode.spec.ts', '../packages/flight/dist/index.js'],
  ['reliability/start.test.ts', '../packages/flight/src/index.ts'],
  ['scripts/flight.mjs', '../packages/flight/src/index.ts'],
  ['e2e/decode.spec.ts', '@flight-recorder/flight'],
  ['packages/other/src/index.ts', '../../flight/src/row.ts'],
])('%s may not import %s', (file, specifier) => {
  expect(lint(file, specifier)).toEqual(['packages/flight has one door here: import #flight']);
});

test.each([
  ['src/recorder/queries.ts', '#flight'],
  ['bench/decode.ts', '#flight'],
  ['packages/flight/src/row.ts', './tape.ts'],
  ['packages/flight/src/differential/plans.ts', '../row.ts'],
  ['e2e/decode.spec.ts', './test.ts'],
])('%s may import %s', (file, specifier) => {
  expect(lint(file, specifier)).toEqual([]);
});

test('the layers hold for sources and not for tests', () => {
  expect(lint('src/http/refuse.ts', '#flight')).toEqual([
    'http may not import flight/index.ts; see the layer table in AGENTS.md',
  ]);
  expect(lint('src/http/refuse.test.ts', '#flight')).toEqual([]);
  expect(lint('packages/flight/src/row.ts', '#src/http/refuse.ts')).toEqual([
    'flight may not import http/refuse.ts; see the layer table in AGENTS.md',
  ]);
});
