import { expect, it } from 'vitest';

import { findEditorAddress } from './find-editor-address.ts';

const editor = { template: 'vscode://file/{path}:{line}:{column}', folders: ['/home/ada/app', '/home/ada/mine'] };
const place = { line: 12, column: 5 };

function find(file: string, at = place): string | undefined {
  return findEditorAddress(editor, file, at);
}

it.each([
  ['/home/ada/app/src/a.tsx', '/home/ada/app/src/a.tsx'],
  ['src/a.tsx', '/home/ada/app/src/a.tsx'],
  ['./src/a.tsx', '/home/ada/app/src/a.tsx'],
  ['/@fs/home/ada/mine/b.tsx', '/home/ada/mine/b.tsx'],
  ['/home/ada/app/a%20b.tsx', '/home/ada/app/a%20b.tsx'],
  ['/home/ada/app/a b.tsx', '/home/ada/app/a%20b.tsx'],
  ['/home/ada/app/%.tsx', '/home/ada/app/%25.tsx'],
])('opens %s', (file, path) => {
  expect(find(file)).toBe(`vscode://file${path}:12:5`);
});

it.each([
  '/etc/passwd',
  '/home/ada/application/a.tsx',
  '/home/ada/app/../other/a.tsx',
  '/home/ada/app/%2e%2e/other/a.tsx',
  '../mine/b.tsx',
  '/home/ada/app/node_modules/react/index.js',
  'https://elsewhere.test/a.js',
  'javascript:alert(1)',
  '/home/ada/app',
  '',
  `src/${'a'.repeat(2_000)}.tsx`,
])('opens nothing for %s', (file) => {
  expect(find(file)).toBeUndefined();
});

it('takes a line that is none for the first', () => {
  expect(find('a.tsx', { line: -1, column: 1e30 })).toBe('vscode://file/home/ada/app/a.tsx:1:1');
});

it('opens a file of Windows', () => {
  const windows = { ...editor, folders: [String.raw`C:\app`] };
  expect(findEditorAddress(windows, String.raw`C:\app\src\a.tsx`, place)).toBe('vscode://file/C:/app/src/a.tsx:12:5');
  expect(findEditorAddress(windows, 'D:/app/a.tsx', place)).toBeUndefined();
  expect(findEditorAddress({ ...editor, folders: [] }, 'a.tsx', place)).toBeUndefined();
});
