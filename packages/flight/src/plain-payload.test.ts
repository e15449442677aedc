import { expect, it } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { renderWithReact, type Page } from './testing/findings-corpus/render-with-react.ts';
import { toPlainPayload } from './plain-payload.ts';

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isPage(part: string): boolean {
  return part.startsWith('page:');
}

/** A page as Waku sends it: its own part, and what surrounds it. */
const page: Page = ({ React, h, client }) => {
  const Counter = client('Counter');
  async function Late() {
    await wait(30);
    return h('p', null, 'late '.repeat(20));
  }
  function Body() {
    return h(
      'main',
      { className: 'wide' },
      h('h1', null, 'Title'),
      h(Counter, { start: 3, labels: new Map([['a', 1n]]), when: new Date(0) }),
      h(React.Suspense, { fallback: 'wait', name: 'list' }, h(Late)),
      h('p', null, 'a long text '.repeat(200)),
      new Uint8Array([1, 2, 3]).length,
    );
  }
  return { 'page:/lab/x': h(Body), root: h('html', null, h(client('Header'), { text: 'around it '.repeat(30) })) };
};

async function render(mode: 'development' | 'production', shown: Page = page) {
  const { bytes, chunks } = await renderWithReact(shown, { mode });
  return { bytes, chunks, flight: decodeFlight(bytes) };
}

it('makes of a development payload what production sends, but for the numbers of rows', async () => {
  const [dev, prod] = await Promise.all([render('development'), render('production')]);
  const [plain, same] = [toPlainPayload(dev.flight, isPage), toPlainPayload(prod.flight, isPage)];
  expect(dev.bytes.length).toBeGreaterThan(prod.bytes.length * 1.2);
  expect(decodeFlight(plain).state.kind).toBe('complete');
  // Production may defer a row where development does not, or the other way round.
  expect(Math.abs(plain.length - same.length)).toBeLessThan(24);
  expect(Buffer.from(plain).toString()).not.toMatch(/"stack"|"env"|plain-payload\.test/);
});

it('keeps the chosen parts alone, with everything that it leads to', async () => {
  const { flight } = await render('development');
  const text = Buffer.from(toPlainPayload(flight, isPage)).toString();
  expect(text).toContain('a long text a long text');
  expect(text).toContain('late late');
  expect(text).toContain('"Counter"');
  expect(text).not.toContain('around it');
  expect(text).not.toContain('"Header"');
});

it('keeps a root that has no parts whole, and changes nothing in what production sent', async () => {
  const { bytes, flight } = await render('production', ({ h }) => h('p', null, 'alone'));
  expect(toPlainPayload(flight)).toEqual(bytes);
  expect(toPlainPayload(flight, isPage)).toEqual(bytes);
});

it('takes out what changes with every request: marks of the bundler, and digests', () => {
  function plainOf(cache: string, digest: string): string {
    const payload = [
      `2:"/src/a.tsx$$cache=${cache}"`,
      '1:I["$2",[],"A",1]',
      `3:E{"digest":"${digest}","name":"Error","message":"m","stack":[],"env":"Server"}`,
      `0:["$","$L1",null,{"src":"/x.tsx?t=17953554297${cache.slice(0, 2)}","late":"$@3","price":"$$5"}]`,
      '',
    ].join('\n');
    return Buffer.from(toPlainPayload(decodeFlight(new TextEncoder().encode(payload)))).toString();
  }
  const plain = plainOf('11a2b3', 'AAAAAAAAAA');
  expect(plainOf('22zzz9', 'BBBBBBBBBB')).toBe(plain);
  expect(plain).toContain('/src/a.tsx"');
  expect(plain).toContain('{"digest":"0000000000"}');
  expect(plain).toContain('"price":"$$5"');
});

it('keeps streams, errors and bytes whole', async () => {
  const { flight } = await render('production', ({ h }) => [
    h(
      'p',
      null,
      new ReadableStream({
        start(controller) {
          controller.enqueue('one');
          controller.enqueue({ two: 2 });
          controller.close();
        },
      }),
    ),
    h('i', { bytes: new Uint8Array([10, 13, 255]) }),
  ]);
  const plain = toPlainPayload(flight);
  expect(plain.length).toBe(flight.bytes.length);
  expect(decodeFlight(plain).state.kind).toBe('complete');
});

it('gives what could be read of a payload that broke, or that is nested deeper than a stack goes', () => {
  const deep = `0:${'['.repeat(20_000)}${']'.repeat(20_000)}\n`;
  for (const text of ['0:["$","p",null,{}', '0:["$L1"]\n1:{"broken\n', deep, '', '3:"no root"\n']) {
    const bytes = new TextEncoder().encode(text);
    expect(toPlainPayload(decodeFlight(bytes)).length).toBeLessThanOrEqual(bytes.length);
  }
});
