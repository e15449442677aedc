import { expect, it } from 'vitest';

import { listFunctions } from './list-functions.ts';

function listNames(text: string): string[] {
  return listFunctions(text).map(({ name }) => name);
}

it.each([
  ['a declaration', 'export default function pushTheButton() {}', ['pushTheButton']],
  ['a declaration without a name', 'export default function () {}', ['']],
  ['a variable', 'const save = async (draft: string) => draft;', ['save']],
  ['a variable, through a call', 'const save = useCallback(() => 1, []);', ['save']],
  ['an expression with a name of its own', 'const save = function store() {};', ['store']],
  ['a property', 'const form = { "on-save": () => 1, submit() {} };', ['on-save', 'submit']],
  ['a class', 'class Form { #send = () => 1; save() {} static { Form.reset = () => 1; } }', ['#send', 'save', 'reset']],
  ['an attribute', 'const a = <b onClick={() => c(() => 1)} />;', ['onClick', '']],
])('names a function by %s', (_, text, names) => {
  expect(listNames(text)).toEqual(names.map((name) => name.replace('#', '')));
});

it('says where a function begins and ends, the outer one first', () => {
  const text = "'é😀';\nfunction outer() {\n  return [1].map((n) => n);\n}\n";
  expect(listFunctions(text)).toEqual([
    { name: 'outer', start: { line: 2, column: 0 }, end: { line: 4, column: 1 } },
    { name: '', start: { line: 3, column: 17 }, end: { line: 3, column: 25 } },
  ]);
});
