import { expect, it } from 'vitest';

import { findDeclaration } from './find-declaration.ts';

const text = `import { raise } from './raise.ts';

// raise
export async function raiseCounter() {}
  export const raise$1 = () => raise();
`;

it('finds where a name is declared', () => {
  expect(findDeclaration(text, 'raiseCounter')).toEqual({ line: 4, column: 14 });
  expect(findDeclaration(text, 'raise$1')).toEqual({ line: 5, column: 10 });
});

it.each(['raise', 'Counter', '', '.*', 'x'.repeat(9)])('leads to the beginning where %j is not declared', (name) => {
  expect(findDeclaration(text, name)).toEqual({ line: 1, column: 1 });
});
