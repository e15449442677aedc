import { expect, it } from 'vitest';

import { parseEditor } from '#src/server/environment/parse-editor.ts';

import { fillTemplate } from './fill-template.ts';

const place = { line: 12, column: 5 };

function fill(editor: string, file: string): string {
  return fillTemplate(parseEditor(editor) ?? '', file, place);
}

it('writes the address that the editor takes', () => {
  expect(fill('vscode', '/home/ada/app/a.tsx')).toBe('vscode://file/home/ada/app/a.tsx:12:5');
  expect(fill('idea', '/home/ada/app/a.tsx')).toBe('idea://open?file=/home/ada/app/a.tsx&line=12&column=5');
  expect(fill('sublime', '/home/a.tsx')).toBe('subl://open?url=file:///home/a.tsx&line=12&column=5');
});

it('writes a path of Windows as that system has it', () => {
  expect(fill('vscode', String.raw`C:\app\a.tsx`)).toBe('vscode://file/C:/app/a.tsx:12:5');
  expect(fill('webstorm', String.raw`C:\app\a.tsx`)).toBe('webstorm://open?file=C:/app/a.tsx&line=12&column=5');
  expect(fill('sublime', String.raw`C:\a.tsx`)).toBe('subl://open?url=file:///C:/a.tsx&line=12&column=5');
});

it('lets no path be more than a path', () => {
  expect(fill('idea', '/a/[id] &line=1#?%.tsx')).toBe(
    'idea://open?file=/a/%5Bid%5D%20%26line%3D1%23%3F%25.tsx&line=12&column=5',
  );
  expect(fill('vscode', '/a/{line}$&.tsx')).toBe('vscode://file/a/%7Bline%7D%24%26.tsx:12:5');
});
