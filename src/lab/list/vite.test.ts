import { expect, it } from 'vitest';

import { splitReferences } from './vite.ts';

function entry(key: string, group: string): string {
  return `
                "${key}": async () => {
                  const m = await import("virtual:vite-rsc/client-references/group/${group}");
                  return m.export_${key};
                },
              `;
}

const code = `export default {${entry('abc', 'facade:src/pages/_root.tsx')}${entry('def', 'shared:src/lab/part.tsx')}};\n`;

it('takes the entries of the lab out of the table, and loses none', () => {
  const split = splitReferences(code, (key) => key === 'def');
  expect(split?.kept).toEqual([entry('abc', 'facade:src/pages/_root.tsx').trim()]);
  expect(split?.moved).toEqual([entry('def', 'shared:src/lab/part.tsx').trim()]);
});

it('reads an empty table, and leaves one of another form alone', () => {
  expect(splitReferences('export default {};\n', () => true)).toEqual({ kept: [], moved: [] });
  expect(splitReferences(code.replace('return m.', 'return await m.'), () => true)).toBeUndefined();
  expect(splitReferences(`${code}export const more = 1;`, () => true)).toBeUndefined();
});
