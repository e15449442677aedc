import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import house from './oxlint-house.mjs';

const root = path.join(import.meta.dirname, '..');

/** What the rule says of an import in a file. */
function lint(file, specifier) {
  const messages = [];
  const filename = path.join(root, file);
  const visitor = house.rules.rooms.create({ filename, report: ({ message }) => messages.push(message) });
  visitor.ImportDeclaration({ source: { value: specifier } });
  return messages;
}

test.each([
  ['src/pages/decode.tsx', '../../packages/flight/src/row.ts'],
  ['src/server/http/refuse.ts', '../../../packages/flight/src/row.ts'],
  ['src/flights/interface/decode/decode-task.test.ts', '../../../../packages/flight/src/row.ts'],
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
  ['src/flights/interface/decode/decode-task.ts', '#flight'],
  ['bench/decode.ts', '#flight'],
  ['packages/flight/src/row.ts', './tape.ts'],
  ['packages/flight/src/testing/differential/plans.ts', '../row.ts'],
  ['e2e/decode.spec.ts', './test.ts'],
])('%s may import %s', (file, specifier) => {
  expect(lint(file, specifier)).toEqual([]);
});

test.each([
  ['src/server/http/refuse.ts', '#flight', 'server may not import flight; its rule is at its top'],
  [
    'src/flights/recorder/recorder.ts',
    '#src/faults/kept/queries.ts',
    'flights may not import faults; its rule is at its top',
  ],
  ['packages/flight/src/row.ts', '#src/server/http/refuse.ts', 'flight may not import server; its rule is at its top'],
  ['src/pages/index.tsx', '#src/faults/kept/evict-rows.ts', 'kept/evict-rows.ts is behind the door of faults'],
  ['src/pages/index.tsx', '#viewer/row-link.tsx', 'row-link.tsx is behind the door of viewer'],
  ['src/pages/index.tsx', '#src/tried/a.ts', 'tried has no room.json at its top: it says what the room is for'],
  ['src/waku.server.tsx', '#src/faults/kept/evict-rows.ts', 'kept/evict-rows.ts is behind the door of faults'],
])('%s may not import %s: %s', (file, specifier, message) => {
  expect(lint(file, specifier)).toEqual([message]);
});

test('tests look behind the doors of rooms', () => {
  expect(lint('src/server/http/refuse.test.ts', '#flight')).toEqual([]);
  expect(lint('src/faults/grouping/testing/use-store.ts', '#src/flights/writer/messages.ts')).toEqual([]);
});

/** What the rule `server-only` says of a file with these imports and a function. */
function lintServerOnly(file, ...sources) {
  const messages = [];
  const filename = path.join(root, file);
  const visitor = house.rules['server-only'].create({ filename, report: ({ message }) => messages.push(message) });
  const imports = sources.map((value) => ({ type: 'ImportDeclaration', importKind: 'value', source: { value } }));
  visitor.Program?.({ body: [...imports, { type: 'FunctionDeclaration' }] });
  for (const node of imports) visitor.ImportDeclaration?.(node);
  return messages.length;
}

test.each([
  ['a server folder without the import', 1, 'src/faults/kept/queries.ts', ['./other.ts']],
  ['a server folder', 0, 'src/faults/kept/queries.ts', ['server-only', './other.ts']],
  ['the server’s adapter', 1, 'src/server/adapter/listen.ts', ['./other.ts']],
  ['a plain folder with the import', 1, 'src/flights/recorder/recorder.ts', ['server-only']],
  ['a plain folder', 0, 'src/flights/recorder/recorder.ts', ['node:fs']],
  ['the interface', 0, 'src/faults/interface/faults/fault-list.tsx', ['./other.ts']],
])('server-only: %s, %i messages', (_, count, file, sources) => {
  expect(lintServerOnly(file, ...sources)).toBe(count);
});

/** The lines of `code` of which `rule` complains, when it stands in src. */
function lintCode(rule, code) {
  const folder = mkdtempSync(path.join(tmpdir(), 'oxlint-house-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'src/faults'), { recursive: true });
  const file = path.join(folder, 'src/faults/sample.ts');
  writeFileSync(file, code);
  const config = { jsPlugins: [path.join(root, 'scripts/oxlint-house.mjs')], rules: { [rule]: 'error' } };
  writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(config));
  const oxlint = [path.join(root, 'node_modules/oxlint/bin/oxlint'), '--config', path.join(folder, 'rules.json')];
  const { stdout } = spawnSync(process.execPath, [...oxlint, '--format=json', file], { encoding: 'utf8' });
  const lines = JSON.parse(stdout)
    .diagnostics.filter(({ code: name }) => name === rule.replace('/', '(').concat(')'))
    .map(({ labels: [label] }) => label.span.line);
  return lines.toSorted((a, b) => a - b);
}

test('unknown-first takes what becomes unknown at once, and nothing else that is any', () => {
  const allowed = `
    const one: unknown = JSON.parse(text);
    const two: unknown = text === '' ? undefined : await response.json();
    function three(): unknown { return Reflect.get(value, key); }
    async function four(): Promise<unknown> { return await response.json(); }
    function five() { let parsed: unknown; try { parsed = JSON.parse(text); } catch {} return parsed; }
    const six = Reflect.get(value, key) === true;
    const seven = list.map((text): unknown => JSON.parse(text));
    const eight: unknown = Reflect.get(value, key) ?? JSON.parse(text);
    const nine = JSON.stringify(text);
    const ten = Reflect.has(value, key);
    const eleven = context.json(body);
    JSON.parse(text);
  `;
  expect(lintCode('house/unknown-first', allowed)).toEqual([]);
  const refused = [
    'const one: string[] = JSON.parse(text);',
    'const two = await response.json();',
    'function three(): string { return Reflect.get(value, key); }',
    'async function four(): Promise<string> { return await response.json(); }',
    'function five() { let parsed: string; parsed = JSON.parse(text); return parsed; }',
    'const six = { value: JSON.parse(text) };',
    'use(JSON.parse(text));',
    'const eight = query.$castTo<Row>();',
    'const nine = list.map((text): string => JSON.parse(text));',
    'const ten = Reflect.get(value, key) ?? 1;',
    'async function eleven(): Array<unknown> { return JSON.parse(text); }',
    'function twelve() { let known: unknown; other = JSON.parse(text); return known; }',
  ];
  expect(lintCode('house/unknown-first', refused.join('\n'))).toEqual(refused.map((_, index) => index + 1));
});
