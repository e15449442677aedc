import { describe, expect, it } from 'vitest';

import { nameFunctionAt, parseSource } from './name-function.ts';

/** The name at `§`, which is no part of the source. */
function nameAt(marked: string, source = 'src/app.tsx'): string | undefined {
  const offset = marked.indexOf('§');
  const lines = marked.slice(0, offset).split('\n');
  const parsed = parseSource(source, marked.replace('§', ''));
  return parsed && nameFunctionAt(parsed, lines.length - 1, lines.at(-1)?.length ?? 0);
}

it.each([
  ['a declaration', 'export default async function pushTheButton(a: Props) { §throw a; }', 'pushTheButton'],
  ['a declaration without a name', 'export default function () { §throw 1 }', 'anonymous'],
  ['a variable', 'const save = async (draft: string): Promise<void> => { §throw draft };', 'save'],
  ['the variable beside it', 'const a = 1, save = () => §fail(), b = 2;', 'save'],
  ['a variable, through a call', 'const save = useCallback(() => { §throw 1 }, []);', 'save'],
  [
    'a variable, through calls',
    'export const Row = React.memo(forwardRef(function (props, ref) { §throw 1 }));',
    'Row',
  ],
  ['its own name, where it has one', 'const save = function store() { §throw 1 };', 'store'],
  ['an expression with a type', 'const save = (() => { §throw 1 }) as unknown as Save;', 'save'],
  ['an assignment', 'module.exports.save = function () { §throw 1 };', 'save'],
  ['a property', "const form = { 'on-save': () => { §throw 1 } };", 'on-save'],
  ['a method of an object', 'const form = { async submit() { §throw 1 } };', 'submit'],
  ['a method of a class', 'class Cart { static async add<T>(a: T) { §throw 1 } }', 'Cart.add'],
  ['a private field of a class', 'class Cart { #send = () => { §throw 1 } }', 'Cart.#send'],
  ['a getter', 'class Cart { get total() { §throw 1 } }', 'Cart.total'],
  ['the constructor', 'class Cart extends Base { constructor() { §throw 1 } }', 'Cart'],
  ['a class that a variable holds', 'const Cart = class { add() { §throw 1 } };', 'Cart.add'],
  ['an attribute', 'const a = <b onClick={async () => { §throw 1 }} />;', 'onClick'],
  ['the function around a callback', 'function total(a) { return a.map((b) => { §throw b }) }', 'anonymous in total'],
  ['nothing, for what is given to a method', 'const all = items.map((b) => { §throw b });', 'anonymous'],
  ['nothing, at the top level', 'function a() {}\n§throw 1;', ''],
])('names a function by %s', (_, marked, name) => {
  expect(nameAt(marked)).toBe(name);
});

describe('a position', () => {
  const text = "'é😀';\nfunction outer() {\n  return [1].map((n) => n);\n}\nouter();\n";
  const parsed = parseSource('a.js', text);

  it.each([
    ['before the function', 0, 0, ''],
    ['at its first character', 1, 0, 'outer'],
    ['in the inner one', 2, 24, 'anonymous in outer'],
    ['behind it', 4, 0, ''],
    ['behind the last line', 9, 0, undefined],
    ['behind the last character', 5, 9, undefined],
  ])('%s', (_, line, column, name) => {
    expect(parsed && nameFunctionAt(parsed, line, column)).toBe(name);
  });
});

it('reads on behind what it does not understand', () => {
  expect(nameAt('let let = %% ;\nfunction after() { §throw 1 }')).toBe('after');
});

it('reads no casts of TypeScript as tags, and no tags as casts', () => {
  expect(nameAt('const a = <T>b;\nfunction after() { §throw 1 }', 'a.ts')).toBe('after');
  expect(nameAt('const a = <b>x</b>;\nfunction after() { §throw 1 }', 'a.js')).toBe('after');
});

it.each([
  ['a component of another language', 'a.vue', 'function a() {}'],
  ['a source without an ending', 'webpack/bootstrap', 'function a() {}'],
  ['one that is too long', 'a.js', ' '.repeat(128 * 1024 + 1)],
  ['one that the parser follows in too many ways', 'a.ts', 'await '.repeat(20_000)],
  ['one that is nested too deep', 'a.ts', `/*'*/${'([{'.repeat(60)}/*'*/`.repeat(600)],
])('says nothing of %s', (_, source, text) => {
  expect(parseSource(source, text)).toBeUndefined();
});

it('takes brackets in texts for none', () => {
  expect(nameAt(`const smileys = [${`':(', ":(", `.repeat(500)}];\nfunction after() { §throw 1 }`)).toBe('after');
});
