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

function lineOf(text: string): number {
  return lines.findIndex((line) => line.includes(text)) + 1;
}

it.each([
  ['get(id)', 'load'],
  ['build(params)', 'Page'],
  ['return rows', 'Page'],
  ['throw new Error(id)', 'find'],
  ['one line', 'GET'],
  ['top level', ''],
])('names the function around %j: %s', (text, name) => {
  expect(nameFunction(lines, lineOf(text))).toBe(name);
});

it('gives no name to a source that is not indented, or to a line that is not there', () => {
  expect(nameFunction(['function f() {', 'throw 1;', '}'], 2)).toBe('');
  expect(nameFunction(lines, 900)).toBe('');
});
