import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { readFlightShape } from '../vitest/index.ts';

const first = `1:I["1a2b3c4d5e6f",["assets/counter-DhX3k9Qa.js"],"Counter"]
2:"$Sreact.suspense"
0:["$","main",null,{"className":"p-4","children":[["$","h1",null,{"children":"Shop"}],["$","$2",null,{"fallback":["$","p",null,{"children":"…"}],"children":"$L3"}]]}]
3:["$","ul",null,{"children":[["$","li","a",{"children":"one"}],["$","li","b",{"children":["$","$L1",null,{"start":3}]}],["$","li","c",{"children":"two"}]]}]
`;

/** Another build and another render: other ids, another order of rows and props, other data, nothing was late. */
const second = `5:"$Sreact.suspense"
7:I["99aa88bb77cc",["assets/counter-ZZ81_fgh.js"],"Counter"]
0:["$","main",null,{"children":[["$","h1",null,{"children":["Shop ",12]}],["$","$5",null,{"children":["$","ul",null,{"children":[["$","li","x",{"children":"an item"}],["$","li","y",{"children":["$","$L7",null,{"start":400}]}]]}],"fallback":["$","p",null,{"children":"wait"}]}]],"className":"p-8 dark:p-9"}]
`;

const shape = `<main className=string>
  <h1> text
  <Suspense>
    fallback: <p> text
    <ul>
      <li> text
      <li>
        <Counter start=number> client`;

function page(props: string): string {
  return `1:I["x",[],"Chart"]\n0:["$","$L1",null,${props}]\n`;
}

describe('readFlightShape', () => {
  it('is the same for another render of another build', async () => {
    expect(await readFlightShape(first)).toBe(shape);
    expect(await readFlightShape(second)).toBe(shape);
  });

  it('changes when a prop is added, and when its kind changes', async () => {
    const changed = await readFlightShape(first.replace('{"start":3}', '{"start":3,"step":1}'));
    expect(changed).toBe(shape.replace('start=number', 'start=number step=number'));
    expect(await readFlightShape(first.replace('"start":3', '"start":"3"'))).not.toBe(shape);
    expect(await readFlightShape(first.replace('"start":3', '"start":3,"step":"$undefined"'))).toBe(shape);
  });

  it('has data by the names and kinds of its fields', async () => {
    const props =
      '{"rows":[{"id":1,"tags":["a"]},{"id":2,"tags":["b","c"]}],"at":"$D2026-11-20T10:00:00.000Z","save":"$h2"}';
    expect(await readFlightShape(`2:{"id":"4f#save","bound":null}\n${page(props)}`))
      .toBe(`<Chart at=Date save=action> client
  rows: array of object
    id: number
    tags: array of string`);
  });

  it('takes an object with many fields alike for a table', async () => {
    const table = (names: readonly string[]): string =>
      page(`{"by":{${names.map((name) => `"${name}":1`).join(',')}}}`);
    const names = Array.from({ length: 11 }, (_, index) => `id${index}`);
    expect(await readFlightShape(table(names))).toBe('<Chart by=(object of number)> client');
    expect(await readFlightShape(table([...names, 'id11']))).toBe('<Chart by=(object of number)> client');
    expect(await readFlightShape(table(names.slice(1)))).toContain('by: object\n    id1: number\n');
  });

  it('opens what is sent in rows of its own', async () => {
    const rows = '3:[["a",1]]\n4:["x"]\n5:"late"\n6:T4,text7:o4,0123';
    const props = '{"map":"$Q3","set":"$W4","soon":"$@5","long":"$6","bytes":"$7","never":"$@9"}';
    expect(await readFlightShape(`${rows}${page(props)}`)).toBe(
      '<Chart bytes=Uint8Array long=string map=(Map of number) never=(Promise of never sent) set=(Set of string) soon=(Promise of string)> client',
    );
  });

  it('sees through arrays, fragments and what renders nothing', async () => {
    const children = '[null,false,[["$","$3","k",{"children":[["$","a",null,{}],"text"]}]],["$","b",null,{}]]';
    const text = `3:"$Sreact.fragment"\n0:["$","p",null,{"children":${children}}]\n`;
    expect(await readFlightShape(text)).toBe('<p>\n  <a>\n  text\n  <b>');
  });

  it('calls a default export by its file, without a hash, and one without a file default', async () => {
    const named = (module: string): string => `1:I["${module}",[],"default"]\n0:["$","$L1",null,{}]\n`;
    for (const [module, name] of [
      ['/src/error-boundary.tsx', 'error-boundary.tsx'],
      ['/assets/counter-DhX3k9Qa.js', 'counter.js'],
      ['22016', 'default'],
      ['', 'default'],
    ] as const) {
      expect(await readFlightShape(named(module))).toBe(`<${name}> client`);
    }
  });

  it('ends for circles, and for references that double at each level', async () => {
    expect(await readFlightShape('0:["$","p",null,{"data":{"self":"$0:props:data"}}]\n')).toContain('self: circular');
    const levels = Array.from(
      { length: 60 },
      (_, level) =>
        `${(level + 2).toString(16)}:{"a":"$${(level + 1).toString(16)}","b":"$${(level + 1).toString(16)}"}\n`,
    );
    const doubling = `1:{"leaf":1}\n${levels.join('')}0:["$","p",null,{"data":"$3d"}]\n`;
    const lines = (await readFlightShape(doubling)).split('\n');
    expect(lines.at(-1)).toBe('and more after 20000 lines');
  });

  it('shows what an action returned, and nothing else of a framework’s own data', async () => {
    const text = '0:{"_value":{"ok":true,"message":"saved"},"_buildId":"abc","page:/":["$","p",null,{}]}\n';
    expect(await readFlightShape(text)).toBe('_value: object\n  message: string\n  ok: boolean\npage:/:\n  <p>');
  });

  it('finds the page in what a framework streams, maps and nests', async () => {
    const nested = '0:["$","b",null,{}]\n';
    const text = `1:X\n1:["$","p",null,{"data":"$W4"}]\n4:["x"]\n5:[["children","$@6"]]\n6:["$","i",null,{}]\n1:C\n7:o${nested.length.toString(16)},${nested}`;
    const root = '0:{"_value":null,"_buildId":"abc","stream":"$1","map":"$Q5","bytes":"$7","id":"f00"}\n';
    expect(await readFlightShape(text + root)).toBe(
      'stream:\n  <p data=(Set of string)>\nmap:\n  "children":\n    <i>\nbytes:\n  <b>',
    );
  });

  it('has the items of a stream as those of a list', async () => {
    const rows = '3:X\n3:{"id":1}\n3:{"id":2}\n3:C\n';
    expect(await readFlightShape(rows + page('{"items":"$3"}'))).toBe(
      '<Chart> client\n  items: async-iterable of object\n    id: number',
    );
  });

  const fixtures = path.join(import.meta.dirname, '../../../../flight/fixtures');
  const payloads = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:^|\/)[\w-]+\.(?:rsc|flight|txt|html)$/.test(name),
  );

  /** Waku's answers to what it refuses, and when it failed: text, under a payload's type. */
  const refusals = new Set(
    ['action-badbody', 'action-get', 'action-missing', 'action-throw', 'notfound-rsc'].map(
      (name) => `waku-1.0.0-rc.1-production/${name}.flight`,
    ),
  );

  it.each(payloads.filter((name) => refusals.has(name)))('reads no shape in %s, which is text', async (name) => {
    await expect(readFlightShape(readFileSync(path.join(fixtures, name)))).rejects.toThrow('does not look like Flight');
  });

  it.each(payloads.filter((name) => !refusals.has(name)))('has no hash of a build in %s', async (name) => {
    const shapeOfFile = await readFlightShape(readFileSync(path.join(fixtures, name)));
    expect(shapeOfFile).not.toBe('');
    expect(shapeOfFile).not.toMatch(/[0-9a-f]{10,}|-[\w-]{8}\.js/);
  });

  it('reads real payloads', () => {
    expect(payloads.length).toBeGreaterThan(5);
  });
});
