import { expect, it } from 'vitest';

import { editorNames, parseEditor } from './parse-editor.ts';
import { readFrom } from './read-setting.ts';

it('knows editors by their names, each with a place for the file and its line', () => {
  expect(editorNames).toContain('vscode');
  for (const name of editorNames) {
    const template = parseEditor(name) ?? '';
    expect(template).toContain('{path}');
    expect(template).toContain('{line}');
    // What a person may write is no narrower than what is known.
    expect(parseEditor(template)).toBe(template);
  }
});

it.each(['txmt://open?url=file://{path}&line={line}', 'x-mine://open?file={path}'])('takes %s', (template) => {
  expect(parseEditor(template)).toBe(template);
});

it.each([
  'notepad',
  'constructor',
  '',
  'vscode://file/',
  'mine://{path}:{col}',
  '{path}',
  'javascript:alert({path})',
  'JAVASCRIPT:{path}',
  'data:text/html,{path}',
  'mine://{path} and more',
])('takes no %j', (text) => {
  expect(parseEditor(text)).toBeUndefined();
});

it('says in one line what a wrong one is and what it must be', () => {
  const read = readFrom({ FLIGHT_EDITOR: 'notepad\nx' });
  expect(() => read('FLIGHT_EDITOR')).toThrow(
    /^FLIGHT_EDITOR is notepad.*it must be one of vscode, .* or an address with \{path\}.*$/,
  );
  expect(readFrom({})('FLIGHT_EDITOR')).toBe(parseEditor('vscode'));
});
