import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { expectFlight, readFlightShape } from './index.ts';
import type * as declared from './public.d.ts';

const price = '{"amount":1250,"currency":"EUR","taxes":["reduced","included"]}';
const payload = `1:I["src/list.tsx",["assets/list.js"],"ProductList"]
2:I["src/note.tsx",["assets/note.js"],"Note"]
0:["$","main",null,{"children":[["$","$L1",null,{"products":[${price},${price},${price}]}],["$","$L2",null,{}]]}]
`;

const page = `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)})</script>`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-budgets-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function readMessage(promise: Promise<void>): Promise<string> {
  return await promise.then(
    () => 'within',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function serve(body: string, type: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', type).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/products?secret=1`;
}

describe('expectFlight', () => {
  it('has the types that are declared for others', () => {
    const door: Pick<typeof declared, 'expectFlight' | 'readFlightShape'> = { expectFlight, readFlightShape };
    expect(Object.keys(door)).toEqual(['expectFlight', 'readFlightShape']);
  });

  it('resolves for what is exactly at its limits', async () => {
    const bytes = Buffer.byteLength(payload);
    await expectFlight(payload).toStayWithin({ bytes, gzip: '1kB', duplicates: 200, clientModules: 2 });
  });

  it('fails for a secret, and names its place and not itself', async () => {
    const key = ['sk_live', '9aKq3LmZ7xTb2VwRc8YpJd4N'].join('_');
    const leaky = payload.replace('"products":', `"config":{"key":"${key}"},"products":`);
    await expectFlight(payload).toStayWithin({ noSecrets: true });
    await expectFlight(leaky).toStayWithin({ noSecrets: false });
    const message = await readMessage(expectFlight(leaky).toStayWithin({ noSecrets: true }));
    expect(message).toContain('There is a secret key of Stripe in config.key of <ProductList> (row 0)');
    expect(message).not.toContain(key);
  });

  it('names the components, the bytes, the rows and the repeated values', async () => {
    const message = await readMessage(
      expectFlight(payload).toStayWithin({ bytes: 100, duplicates: 10, clientModules: 1 }),
    );
    const size = Buffer.byteLength(payload);
    expect(message).toContain('the payload is over its budget\n');
    expect(message).toContain(`  payload ${size} B, limit 100 B: ${size - 100} bytes over\n`);
    expect(message).toMatch(/\n {4}\d+ B {2}<ProductList>, most of it products \(row 0\)\n/);
    expect(message).toMatch(/\n {4}126 B of duplicates: 3 × \{amount, currency, taxes\} in ProductList products\n/);
    expect(message).toContain('\n  126 B of duplicates, limit 10 B: 116 bytes over\n');
    expect(message).toContain('\n  2 client modules, limit 1: 1 over\n');
    expect(message).toContain('\n    ProductList of src/list.tsx: 1 use, ');
  });

  it('says nothing of limits that are kept', async () => {
    const message = await readMessage(
      expectFlight(payload).toStayWithin({ gzip: 10, bytes: 10_000, clientModules: 2 }),
    );
    expect(message).toMatch(/\n {2}payload \d+ B gzip, limit 10 B: \d+ bytes over\n/);
    expect(message.match(/, limit /g)).toHaveLength(1);
  });

  it('leaves the payload beside the results, and says how to open it', async () => {
    const message = await readMessage(expectFlight(payload).toStayWithin({ bytes: 1 }));
    const [, file = ''] = /\n {2}npx flight-recorder flight (\S+)$/.exec(message) ?? [];
    expect(file).toMatch(/^test-results\/[\w-]*leaves-the-payload-beside[\w-]*\.rsc$/);
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(payload);
  });

  it('writes nothing for a flight within its budget', async () => {
    await expectFlight(payload).toStayWithin({ bytes: '1kB' });
    expect(existsSync(path.join(folder, 'test-results'))).toBe(false);
  });

  it('tells of the budget when the payload cannot be written', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue('/dev/null');
    const message = await readMessage(expectFlight(payload).toStayWithin({ bytes: 1 }));
    expect(message).toContain('limit 1 B');
    expect(message).toMatch(/\n {2}the payload could not be written: E/);
  });

  it('stands in the stack where the test called', async () => {
    const error: unknown = await expectFlight(payload)
      .toStayWithin({ bytes: 1 })
      .catch((thrown: unknown) => thrown);
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    expect(stack.split('\n').find((line) => line.startsWith('    at '))).toContain(
      'packages/inspect/src/budgets/vitest/index.test.ts',
    );
  });

  it.each([
    ['bytes', () => new TextEncoder().encode(payload)],
    ['a page', () => page],
    ['a response', () => new Response(page)],
    ['a promise of one', () => Promise.resolve(new Response(payload))],
    ['a stream of React’s for the web', () => new Response(payload).body],
    ['a stream of Node’s', () => Readable.from([payload.slice(0, 90), payload.slice(90)])],
    ['what can be piped', () => ({ pipe: (to: NodeJS.WritableStream) => to.end(payload) })],
  ])('measures %s', async (_, make) => {
    const size = Buffer.byteLength(payload);
    await expectFlight(make()).toStayWithin({ bytes: size });
    expect(await readMessage(expectFlight(make()).toStayWithin({ bytes: size - 1 }))).toContain(': 1 byte over');
  });

  it('fetches an address, and does not repeat its query', async () => {
    const address = await serve(page, 'text/html');
    for (const source of [address, new URL(address)]) {
      const message = await readMessage(expectFlight(source).toStayWithin({ bytes: 1 }));
      expect(message).toMatch(/^GET \/products is over its budget\n/);
    }
  });

  it('leaves a response for the test to read', async () => {
    const response = new Response(payload);
    await expectFlight(response).toStayWithin({ bytes: '1kB' });
    expect(await response.text()).toBe(payload);
    await expect(expectFlight(response).toStayWithin({ bytes: 1 })).rejects.toThrow('its body was read already');
  });

  it.each([
    ['<!doctype html><p>no payload', 'has no Flight to measure: the page carries no Flight'],
    ['', 'has no Flight to measure: it is empty'],
    [payload.slice(0, -20), 'cannot be measured: the payload is truncated at byte'],
    ['not a payload', 'has no Flight to measure: it does not look like Flight'],
    [null, 'there is no response (null)'],
    [{ rows: [] }, 'this is an object with rows'],
  ])('does not measure %j', async (source, message) => {
    await expect(expectFlight(source).toStayWithin({ bytes: '1MB' })).rejects.toThrow(message);
  });

  it('refuses a budget that it does not understand', async () => {
    await expect(expectFlight(payload).toStayWithin({ size: 1 })).rejects.toThrow(/^budget: there is no limit size;/);
  });

  it('says what a development build of React adds', async () => {
    const development = `1:{"name":"Page","env":"Server"}\n0:D"$1"\n0:["$","main",null,{},"$1"]\n`;
    const message = await readMessage(expectFlight(development).toStayWithin({ bytes: 1 }));
    expect(message).toContain(' are what a development build of React adds: measure a production build\n');
  });

  it('prints a payload’s text so that a terminal does not obey it', async () => {
    const hostile = `0:["$","main",null,{"\u009b2Jtitle":"${'x'.repeat(200)}"}]\n`;
    const message = await readMessage(expectFlight(hostile).toStayWithin({ bytes: 1 }));
    expect(message).toContain(String.raw`most of it \u009b2Jtitle`);
  });
});

describe('a message', () => {
  /** Each component costs ten bytes more than the one before it, and its module one. */
  function renderMany(count: number): string {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const modules = numbers.map(
      (n) => `${n.toString(16)}:I["src/part-${n}.tsx",["assets/${'p'.repeat(n)}.js"],"Part${n}"]\n`,
    );
    const elements = numbers.map((n) => `["$","$L${n.toString(16)}",null,{"title":"${'x'.repeat(n * 10)}"}]`);
    return `${modules.join('')}0:["$","main",null,{"children":[${elements.join(',')}]}]\n`;
  }

  it('lists the five largest components, the largest first, and all modules up to thirty', async () => {
    const message = await readMessage(expectFlight(renderMany(32)).toStayWithin({ bytes: 1, clientModules: 0 }));
    const largest = [...message.matchAll(/ {2}<(\w+)>.*\(row 0\)/g)].map(([, name]) => name);
    expect(largest).toEqual(['Part32', 'Part31', 'Part30', 'Part29', 'Part28']);
    const modules = [...message.matchAll(/\n {4}(Part\d+) of src/g)].map(([, name]) => name);
    expect(modules).toEqual(Array.from({ length: 30 }, (_, index) => `Part${32 - index}`));
    expect(message).toContain('\n    and 2 more\n');
  });

  it('has nothing after the last module where all are listed, and says which is not used', async () => {
    const unused = `1:I["src/a.tsx",["assets/a.js"],"A"]\n0:["$","main",null,{"children":"text"}]\n`;
    const message = await readMessage(expectFlight(unused).toStayWithin({ clientModules: 0 }));
    expect(message).toMatch(/\n {4}A of src\/a\.tsx: not used, \d+ B\n {2}To see all/);
  });

  it('counts what is rendered often, and blames no prop for what its children cost', async () => {
    const list = `0:["$","ul",null,{"children":[${Array(3).fill('["$","li",null,{"children":"a line"}]').join(',')}]}]\n`;
    const message = await readMessage(expectFlight(list).toStayWithin({ bytes: 1 }));
    expect(message).toMatch(/ B {2}<li> × 3 \(row 0\)\n/);
    expect(message).toMatch(/ B {2}<ul> \(row 0\)\n/);
    expect(message).not.toContain('most of it');
  });

  it('cuts a long name', async () => {
    const long = `0:["$","${'x'.repeat(200)}",null,{}]\n`;
    const message = await readMessage(expectFlight(long).toStayWithin({ bytes: 1 }));
    expect(message).toContain(`<${'x'.repeat(59)}…>`);
  });

  it('allows just as many repeated bytes as its limit', async () => {
    await expectFlight(payload).toStayWithin({ duplicates: 126 });
    expect(await readMessage(expectFlight(payload).toStayWithin({ duplicates: 125 }))).toContain(': 1 byte over\n');
  });

  it('names a response by its address', async () => {
    const response = await fetch(await serve(page, 'text/html'));
    const message = await readMessage(expectFlight(response).toStayWithin({ bytes: 1 }));
    expect(message).toMatch(/^GET \/products is over its budget\n/);
    expect(await readMessage(expectFlight(new Response(page)).toStayWithin({ bytes: 1 }))).toMatch(
      /^the response is over/,
    );
  });
});
