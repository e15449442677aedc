import { expect, it } from 'vitest';

import { nameFunction } from './name-function.ts';

const lines = `import x from 'x';

export const load = async (id) => {
  if (id) {
    return get(id);
  }
};

export default function Page({ params }) {
  const rows = useMemo(() => {
    return build(params);
  }, []);
  return rows;
}

class Orders {
  async find(id) {
    for (const one of this.all) {
      throw new Error(id);
    }
  }
}

export async function GET() { throw new Error('one line'); }
throw new Error('top level');`.split('\n');

function nameOf(text: string, of = lines): string {
  const at = of.findIndex((line) => line.includes(text));
  return nameFunction(of, at + 1, (of[at] ?? '').indexOf(text) + 1);
}

it.each([
  ['get(id)', 'load'],
  ['build(params)', 'Page'],
  ['return rows', 'Page'],
  ['throw new Error(id)', 'find'],
  ['one line', 'GET'],
  ['top level', ''],
])('names the function around %j: %s', (text, name) => {
  expect(nameOf(text)).toBe(name);
});

it('gives no name to a source that is not indented, or to a line that is not there', () => {
  expect(nameFunction(['function f() {', 'throw 1;', '}'], 2, 1)).toBe('');
  expect(nameFunction(lines, 900, 1)).toBe('');
});

it.each([
  ["export async function POST() { return new Response('ok') } export async function GET(request) { throw §1; }", ''],
  ['export async function POST() { throw §1 } export async function GET(request) { return 2; }', 'POST'],
  ["export default function Ok() { return <p>{'}'}</p>; §x }", 'Ok'],
  ['const a = () => { return 1 }, b = () => { throw §1 };', ''],
  ['const a = () => { throw §1 }, b = () => { return 1 };', 'a'],
  ['const a = () => 1, b = () => §fail();', ''],
  ['const a = () => §fail();', 'a'],
  ['const a = () => 1; §fail();', ''],
  ['  get(id) { return 1 } total() { throw §1 }', ''],
  ['startJob(() => { if (broken) { throw §1 } });', ''],
  ['function a() { return items.map((b) => §b.c) }', ''],
  ['function a<T>(b: T): { c: T } { throw §b }', 'a'],
  ['export function Page({ a, b }) { if (a) { throw §b; } }', 'Page'],
])('says of one line with functions: %s', (marked, name) => {
  const column = marked.indexOf('§') + 1;
  expect(nameFunction([marked.replace('§', '')], 1, column)).toBe(name);
});

it('looks for no name above a line that begins two functions', () => {
  const two = ['function a() { return 1 } function b() {', '  throw 1;', '}'];
  expect(nameOf('throw 1', two)).toBe('');
});
