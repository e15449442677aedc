import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');

/** The lines of `code` of which `rule` complains, when it stands in src. */
function lint(rule, code) {
  const folder = mkdtempSync(path.join(tmpdir(), 'oxlint-house-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'src/reports'), { recursive: true });
  const file = path.join(folder, 'src/reports/sample.ts');
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
  expect(lint('house/unknown-first', allowed)).toEqual([]);
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
  expect(lint('house/unknown-first', refused.join('\n'))).toEqual(refused.map((_, index) => index + 1));
});
