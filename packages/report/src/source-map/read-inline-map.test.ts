import { describe, expect, it } from 'vitest';

import { readInlineMap } from './read-inline-map.ts';

const json = JSON.stringify({ version: 3, sources: ['bücher.ts'], mappings: 'AAAA' });
const base64 = Buffer.from(json).toString('base64');

describe('readInlineMap', () => {
  it.each([
    ['as esbuild writes it', `a();\n//# sourceMappingURL=data:application/json;base64,${base64}\n`],
    ['as webpack writes it', `a();\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${base64}`],
    ['in a comment of the other kind', `a();/*# sourceMappingURL=data:application/json;base64,${base64} */`],
    ['as old tools write it', `a();\n//@ sourceMappingURL=data:application/json;base64,${base64}`],
    ['with escapes', `a();\n//# sourceMappingURL=data:application/json,${encodeURIComponent(json)}`],
    ['before a debug id', `a();\n//# sourceMappingURL=data:application/json;base64,${base64}\n//# debugId=dfdad0f3`],
    [
      'behind a text that looks like one',
      `x = "//# sourceMappingURL=data:application/json;base64,e30=";\n//# sourceMappingURL=data:application/json;base64,${base64}`,
    ],
  ])('finds a map %s', (_, script) => expect(readInlineMap(Buffer.from(script))?.toString()).toBe(json));

  it.each([
    ['no map', 'a();'],
    ['a map beside it', 'a();\n//# sourceMappingURL=a.js.map'],
    ['a text of the program', `x = "//# sourceMappingURL=data:application/json;base64,e30=";${'a();'.repeat(100)}`],
    ['a map of another kind', 'a();\n//# sourceMappingURL=data:text/plain;base64,e30='],
    ['escapes that are none', 'a();\n//# sourceMappingURL=data:application/json,%E0%A4'],
    ['the mark alone', 'sourceMappingURL=data:'],
  ])('finds none where there is %s', (_, script) => expect(readInlineMap(Buffer.from(script))).toBeUndefined());
});
