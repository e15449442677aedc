import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { createExchangeReader } from './describe-exchange.ts';
import { createExchange, describeOne, html, push, rows } from './testing/create-exchange.ts';

it('an endpoint that failed is kept, as a part of no page; one that did not is not', async () => {
  const endpoint = {
    method: 'DELETE',
    target: '/api/orders/42',
    requestHeaders: { accept: '*/*' },
    responseHeaders: { 'content-type': 'application/json' },
    chunks: [[1, '{"error":"no"}']],
  } as const;
  const failed = {
    kind: 'other',
    method: 'DELETE',
    path: '/api/orders/42',
    status: 500,
    content: 'none',
    sentBytes: 14,
  };
  expect(await describeOne({ ...endpoint, status: 500 })).toMatchObject([{ head: failed }]);
  expect(await describeOne({ ...endpoint, status: 404 })).toEqual([]);
});

it('a document that is redirected is one, also where its body is Flight', async () => {
  const redirect = {
    ...rows,
    target: '/old',
    status: 302,
    chunks: [[1, '0:{"type":"redirect","location":"/new","status":302}\n']] as const,
  };
  const kindOf = async (requestHeaders: Record<string, string>, target = '/old') =>
    (await describeOne({ ...redirect, target, requestHeaders }))[0]?.head.kind;
  expect(await kindOf({ 'sec-fetch-dest': 'document', accept: 'text/html' })).toBe('document');
  expect(await kindOf({ accept: '*/*' })).toBe('document');
  expect(await kindOf({ 'sec-fetch-dest': 'empty', accept: '*/*' })).toBe('navigation');
  expect(await kindOf({ accept: '*/*' }, '/old.rsc')).toBe('navigation');
});

it('an error without a digest is one', async () => {
  const digestsOf = async (error: string) =>
    (await describeOne({ ...rows, chunks: [[1, `0:["$","p",null,{}]\n1:E${error}\n`]] }))[0]?.head.digests;
  expect(await digestsOf('{"digest":""}')).toEqual(['']);
  expect(await digestsOf('{"digest":"NEXT_NOT_FOUND"}')).toEqual([]);
});

it('a page that a script read is no visit to it', async () => {
  const script = `<script>self.__next_f.push([1,${JSON.stringify('0:["$","p",null,{}]\n')}])</script>`;
  const page = {
    responseHeaders: { 'content-type': 'text/html' },
    chunks: [[1, `<html><body>${script}</body></html>`]] as const,
  };
  const kindOf = async (requestHeaders: Record<string, string>) =>
    (await describeOne({ ...page, target: '/page', requestHeaders }))[0]?.head.kind;
  expect(await kindOf({ 'sec-fetch-dest': 'document', accept: 'text/html' })).toBe('document');
  expect(await kindOf({ 'sec-fetch-dest': 'empty', accept: '*/*' })).toBe('other');
  // What is no browser says nothing.
  expect(await kindOf({ accept: '*/*' })).toBe('document');
  const posted = async (type: string) =>
    (await describeOne({ ...page, method: 'POST', target: '/page', requestHeaders: { 'content-type': type } }))[0]?.head
      .kind;
  expect(await posted('multipart/form-data; boundary=b')).toBe('action');
  expect([await posted('application/json'), await posted('application/x-www-form-urlencoded')]).toEqual([
    'other',
    'other',
  ]);
});

describe('a page', () => {
  const root = '0:["$","p",null,{"children":"$L1"}]\n';
  const late = '1:"Ünïcode"\n';

  it('has its rows with the times of the chunks that brought them, and three sizes', async () => {
    const head = '<!doctype html><p>';
    const first = `Ä</p>${push(root)}<p>`;
    const second = push(late);
    const [entry] = await describeOne({
      ...html,
      chunks: [
        [3, head],
        [10, first],
        [250, second.slice(0, 20)],
        [260, second.slice(20)],
        [300, '</html>'],
      ],
    });
    expect(Buffer.from(entry?.payload ?? []).toString()).toBe(root + late);
    expect(entry?.head).toMatchObject({
      kind: 'document',
      content: 'flight',
      chunks: [
        [10, root.length, 0],
        [260, Buffer.byteLength(late), 0],
      ],
      bytes: Buffer.byteLength(root + late),
      sentBytes: Buffer.byteLength(`${head}${first}${second}</html>`),
      knownDecodedBytes: Buffer.byteLength(`${head}${first}${second}</html>`),
      // Before the first chunk that brought rows.
      knownFirstByteMs: 3,
    });
  });

  it('that was compressed has the bytes that were sent, and those that they stand for', async () => {
    const page = `<!doctype html>${push(root)}`;
    const packed = gzipSync(page);
    const responseHeaders = { ...html.responseHeaders, 'content-encoding': 'gzip' };
    const [entry] = await describeOne({ ...html, responseHeaders, chunks: [[1, packed]] });
    expect(entry?.head).toMatchObject({ sentBytes: packed.length, knownDecodedBytes: page.length, bytes: root.length });
  });

  it('has the digests of its rows, its templates and its calls, each once, and no control flow', async () => {
    const error = '2:E{"digest":"111"}\n3:E{"digest":""}\n4:E{"digest":"NEXT_REDIRECT;replace;/login;307;"}\n';
    const page = `<!doctype html>${push(root + error)}<template data-dgst="222"></template>
      <template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template><script>$RX("B:0","333");$RX("B:1","111")</script>`;
    const [entry] = await describeOne({ ...html, chunks: [[1, page]], policy: { mode: 'errors' } });
    expect(entry?.head.digests).toEqual(['111', '222', '333']);
  });

  it('without Flight is kept when it failed alone', async () => {
    expect(await describeOne({ ...html, chunks: [[1, '<!doctype html>']] })).toEqual([]);
    expect(await describeOne({ ...html, status: 404, chunks: [[1, '<!doctype html>']] })).toEqual([]);
    const [entry] = await describeOne({ ...html, status: 502, chunks: [[1, '<!doctype html>']] });
    expect(entry?.head).toMatchObject({ kind: 'document', status: 502, content: 'none', outcome: 'none', bytes: 0 });
  });

  it('with several payloads is several flights, of which one has the sizes', async () => {
    const frame = (type: number, stream: number, payload: string) => {
      const header = Buffer.alloc(9);
      header.writeUInt8(type, 0);
      header.writeUInt32BE(stream, 1);
      header.writeUInt32BE(payload.length, 5);
      return Buffer.concat([header, Buffer.from(payload)]);
    };
    const frames = [
      frame(0, 0, '{"a":1}'),
      frame(1, 1, '0:"one"\n'),
      frame(1, 2, '0:"two"\n'),
      frame(1, 1, '1:"more"\n'),
    ];
    const entries = await describeOne({
      target: '/_serverFn/abc',
      responseHeaders: { 'content-type': 'application/x-tss-framed; v=1' },
      chunks: frames.map((bytes, index) => [index * 10, bytes] as const),
    });
    expect(entries.map(({ head, payload }) => [head.kind, Buffer.from(payload).toString(), head.chunks])).toEqual([
      [
        'navigation',
        '0:"one"\n1:"more"\n',
        [
          [10, 8, 0],
          [30, 9, 0],
        ],
      ],
      ['slice', '0:"two"\n', [[20, 8, 0]]],
    ]);
    expect(entries.map(({ head }) => head.sentBytes)).toEqual([Buffer.concat(frames).length, null]);
    expect(new Set(entries.map(({ head }) => head.requestId)).size).toBe(2);
    expect(entries[0]?.head.knownFramework).toBe('tanstack-start');
  });
});

describe('what an address, a tree and a payload say', () => {
  const tree = (text: string) => encodeURIComponent(text);

  it('chunks of one moment are one', async () => {
    const chunks = [
      [1, '0:["a"]\n'],
      [1, '1:"b"\n'],
      [2, '2:"c"\n'],
    ] as const;
    const [entry] = await describeOne({ ...rows, chunks });
    expect(entry?.head.chunks).toEqual([
      [1, 14, 0],
      [2, 6, 0],
    ]);
  });

  it('the query has the names of the page, without those of the framework', async () => {
    const target = '/search?q=1&_rsc=abc&sort=a&q=2';
    const [entry] = await describeOne({ ...rows, target, chunks: [[1, '0:"x"\n']] });
    expect(entry?.head.query).toBe('q&sort');
  });

  it('Waku says of a page whether it is static', async () => {
    const waku = { target: '/RSC/R/a.txt', responseHeaders: { 'content-type': 'text/plain' } };
    const renderings = [true, false].map(async (isStatic) => {
      const row = `0:{"page:/[a]":"x","ROUTE":["/a",""],"IS_STATIC":${isStatic},"_etags":{}}\n`;
      const headers = { 'x-waku-etags': '{"root":1,"page:/[a]":1}' };
      const [entry] = await describeOne({ ...waku, requestHeaders: headers, chunks: [[1, row]] });
      return [entry?.head.rendering, entry?.head.route, entry?.head.elements, entry?.head.elided];
    });
    expect(await Promise.all(renderings)).toEqual([
      ['static', '/[a]', ['page:/[a]'], ['root']],
      ['dynamic', '/[a]', ['page:/[a]'], ['root']],
    ]);
  });

  it.each([
    ['["",{"children":["(shop)",{"children":[["id","7","d",null],{"children":["__PAGE__",{}]}]}]}]', '/[id]'],
    ['["",{"children":["docs",{"children":[["path","a/b","c",null],{}]}]}]', '/docs/[...path]'],
    ['["",{"children":["docs",{"children":[["path","","oc",null],{}]}]}]', '/docs/[[...path]]'],
    ['not a tree', '/shown'],
    ['{"a":1}', '/shown'],
  ])('an action of Next.js is called from the page of its tree: %s', async (text, route) => {
    const requestHeaders = { 'next-action': 'abc', 'next-router-state-tree': tree(text) };
    const [entry] = await describeOne({ method: 'POST', target: '/shown', requestHeaders, args: '[]' });
    expect(entry?.head).toMatchObject({ route, path: '/shown' });
  });

  it('an action of Next.js is of the page that called it, also where its answer brings the page to which it redirects', async () => {
    const about =
      '0:{"b":"build","f":[[["",{"children":["about",{"children":["__PAGE__",{}]}]},null,null,true]]],"S":false}\n';
    const requestHeaders = {
      rsc: '1',
      'next-router-state-tree': tree('["",{"children":["form",{"children":["__PAGE__",{}]}]}]'),
    };
    const call = { requestHeaders: { ...requestHeaders, 'next-action': 'abc' }, chunks: [[1, about]] as const };
    const [action] = await describeOne({ ...call, method: 'POST', target: '/form', args: '[]' });
    const [navigation] = await describeOne({ target: '/about', requestHeaders, chunks: call.chunks });
    expect([action?.head.kind, action?.head.route]).toEqual(['action', '/form']);
    expect(navigation?.head.route).toBe('/about');
  });

  it('a navigation of Next.js is not to the page that its tree is of, unless it asks for the rest of that', async () => {
    const ask = async (marker: string) => {
      const requestHeaders = {
        rsc: '1',
        'next-router-state-tree': tree(`["",{"children":[["id","7","d"],{},null,${marker}]}]`),
      };
      return (await describeOne({ target: '/7', requestHeaders, chunks: [[1, '0:"x"\n']] }))[0]?.head.route;
    };
    expect([await ask('null'), await ask('"refetch"')]).toEqual(['/7', '/[id]']);
  });

  it('an answer that says nothing new is kept where Flight was asked for', async () => {
    const requestHeaders = { rsc: '1', 'next-router-prefetch': '1' };
    const [entry] = await describeOne({ ...rows, requestHeaders, status: 304 });
    expect(entry?.head).toMatchObject({ kind: 'prefetch', status: 304, content: 'none', outcome: 'none' });
    expect(await describeOne({ ...html, status: 304 })).toEqual([]);
    expect(await describeOne({ ...rows, requestHeaders, status: 307 })).toEqual([]);
  });

  it('an answer that never came is a failure', async () => {
    const requestHeaders = { accept: 'text/html' };
    const [entry] = await describeOne({ requestHeaders, status: 0, outcome: 'broken' });
    expect(entry?.head).toMatchObject({ kind: 'document', status: 0, outcome: 'failed' });
    expect(await describeOne({ requestHeaders, status: 0, outcome: 'left' })).toEqual([]);
  });
});

describe('a response that is not whole', () => {
  const row = '0:["$","p",null,{}]\n';

  it.each([
    ['broken', 'failed'],
    ['left', 'left'],
  ] as const)('%s: it is kept as far as it came', async (outcome, stored) => {
    const [entry] = await describeOne({ ...rows, outcome, chunks: [[1, row]] });
    expect(entry?.head).toMatchObject({ outcome: stored, content: 'flight', bytes: row.length });
  });

  it('breaks off under every RECORD', async () => {
    const policy = { mode: 'errors' } as const;
    expect(await describeOne({ ...rows, policy, outcome: 'left', chunks: [[1, row]] })).toEqual([]);
    expect(await describeOne({ ...rows, policy, outcome: 'broken', chunks: [[1, row]] })).toHaveLength(1);
    // An error row without a digest is a failure too.
    expect(await describeOne({ ...rows, policy, chunks: [[1, `${row}1:E{"digest":""}\n`]] })).toHaveLength(1);
  });

  it('says so when its beginning alone was read', async () => {
    const [entry] = await describeOne({ ...rows, sentBytes: 5_000_000, chunks: [[1, row]] });
    // What was read is Flight alone, and was not compressed: so is the rest.
    expect(entry?.head).toMatchObject({ sentBytes: 5_000_000, knownDecodedBytes: 5_000_000, bytes: 5_000_000 });
    expect(entry?.head.keptBytes).toBe(row.length);
    const page = `<html><script>(self.__next_f=self.__next_f||[]).push([1,${JSON.stringify(row)}])</script>`;
    const document = {
      ...rows,
      responseHeaders: { 'content-type': 'text/html' },
      requestHeaders: { accept: 'text/html' },
    };
    const [inPage] = await describeOne({ ...document, target: '/', sentBytes: 5_000_000, chunks: [[1, page]] });
    expect(inPage?.head).toMatchObject({ sentBytes: 5_000_000, knownDecodedBytes: null, bytes: row.length });
  });

  it('keeps the first megabyte of its Flight, and counts all that was read', async () => {
    const long = `0:"${'x'.repeat(1_500_000)}"\n`;
    const [entry] = await describeOne({ ...rows, chunks: [[1, long]] });
    expect(entry?.head).toMatchObject({ bytes: long.length, keptBytes: 1024 * 1024 });
    expect(entry?.payload.length).toBe(1024 * 1024);
  });
});

describe('an unknown framework', () => {
  it('is recognised by its content', async () => {
    const text = { chunks: [[1, '0:["$","p",null,{}]\n']] as const, requestHeaders: { accept: '*/*' } };
    expect((await describeOne(text))[0]?.head).toMatchObject({ kind: 'navigation', knownFramework: null });
    expect((await describeOne({ ...text, method: 'POST' }))[0]?.head.kind).toBe('action');
    const ahead = { ...text, requestHeaders: { 'sec-purpose': 'prefetch' } };
    expect((await describeOne(ahead))[0]?.head.kind).toBe('prefetch');
    for (const other of ['{"a":1}', 'hello: world', '12:30 is the time\n', '']) {
      expect(await describeOne({ ...text, chunks: [[1, other]] })).toEqual([]);
    }
  });

  it.each([
    [{ 'cache-control': 'private, no-cache' }, 'dynamic'],
    [{ 'cache-control': 'no-store' }, 'dynamic'],
    [{ 'cache-control': 'public, max-age=60' }, 'unknown'],
    [{}, 'unknown'],
    [{ 'x-nextjs-cache': 'HIT' }, 'prerendered'],
    [{ 'x-nextjs-cache': 'STALE' }, 'prerendered'],
    [{ 'x-nextjs-cache': 'MISS', 'x-nextjs-prerender': '1' }, 'static'],
    [{ 'x-nextjs-prerender': '1' }, 'prerendered'],
    [{ 'x-nextjs-prerender': '1', 'x-nextjs-postponed': '1' }, 'dynamic'],
    [{ 'x-nextjs-prerender': '1', 'x-nextjs-postponed': '2' }, 'prerendered'],
  ])('answered with %o it is %s', async (headers, rendering) => {
    const responseHeaders = { ...rows.responseHeaders, ...headers };
    const [entry] = await describeOne({ responseHeaders, chunks: [[1, '0:"x"\n']] });
    expect(entry?.head.rendering).toBe(rendering);
  });
});

describe('an action', () => {
  const boundary = '----b1';
  const type = `multipart/form-data; boundary=${boundary}`;
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const form = `${part('$ACTION_ID_abc123', '')}${part('1_user', 'ann')}${part('1_password', 'hunter2')}`;

  it('without JavaScript that found nothing is of the page that called it, not of the one that says so', async () => {
    const describeExchange = createExchangeReader();
    const page = (inner: string) => [[1, push(`0:{"P":null,"f":[[["",{"children":${inner}}]]]}\n`)]] as const;
    const order = '["orders",{"children":[["id","7","d"],{"children":["__PAGE__",{}]}]}]';
    await describeExchange(createExchange({ ...html, target: '/orders/7', chunks: page(order) }));
    const requestHeaders = { ...html.requestHeaders, 'content-type': type };
    const call = { ...html, method: 'POST', requestHeaders, args: form, chunks: page('["__PAGE__",{}]') } as const;
    for (const [target, route] of [
      ['/orders/7', '/orders/[id]'],
      ['/form', '/form'],
    ] as const) {
      const answered = createExchange({ ...call, target, status: 404, requestId: target.padEnd(32, '0') });
      const [entry] = (await describeExchange(answered)).entries;
      expect(entry?.head).toMatchObject({ kind: 'action', status: 404, path: target, route });
    }
  });

  it('is kept without an answer, with its id and its arguments', async () => {
    const requestHeaders = { 'next-action': 'abc', 'content-type': 'text/plain;charset=UTF-8' };
    const [entry] = await describeOne({ method: 'POST', requestHeaders, status: 303, args: '["Ada"]' });
    expect(entry?.head).toMatchObject({
      kind: 'action',
      content: 'none',
      actionId: 'abc',
      actionType: 'text/plain;charset=UTF-8',
      actionBytes: 7,
      rendering: 'dynamic',
    });
    expect(Buffer.from(entry?.args ?? []).toString()).toBe('["Ada"]');
  });

  it('of a form without JavaScript is the one that the form names', async () => {
    const requestHeaders = { accept: 'text/html', 'content-type': type };
    const page = `<!doctype html>${push('0:"x"\n')}`;
    const posted = { ...html, method: 'POST', requestHeaders, args: `${form}--${boundary}--\r\n` };
    const [entry] = await describeOne({ ...posted, chunks: [[1, page]] });
    expect(entry?.head).toMatchObject({ kind: 'action', actionId: 'abc123' });
    const bound = `${part('$ACTION_REF_1', '')}${part('$ACTION_1:0', '{"id":"def#save","bound":"$@1"}')}--${boundary}--\r\n`;
    expect((await describeOne({ ...posted, args: bound, chunks: [[1, page]] }))[0]?.head.actionId).toBe('def#save');
    // A form of a page without Flight is none of ours.
    expect(await describeOne({ ...posted, chunks: [[1, '<!doctype html>']] })).toEqual([]);
  });

  it('of which the beginning of a form came keeps whole parts alone', async () => {
    const requestHeaders = { 'next-action': 'abc', 'content-type': type };
    const cut = form.slice(0, form.indexOf('hunter2') + 3);
    const [entry] = await describeOne({ method: 'POST', requestHeaders, args: cut, requestBytes: 9_999 });
    const kept = Buffer.from(entry?.args ?? []).toString();
    expect(kept).toContain('ann');
    expect(kept).not.toContain('hun');
    expect(entry?.head.actionBytes).toBe(9_999);
  });

  it('of TanStack Start keeps no arguments: a name does not stand beside its value there', async () => {
    const args = '{"k":["password"],"v":["hunter2"]}';
    const [entry] = await describeOne({ method: 'POST', target: '/_serverFn/abc', args });
    expect(entry?.head).toMatchObject({ kind: 'action', actionId: 'abc', actionBytes: args.length });
    expect(entry?.args).toHaveLength(0);
  });

  it('whose arguments were compressed keeps none of them', async () => {
    const requestHeaders = { 'next-action': 'abc', 'content-encoding': 'gzip' };
    const [entry] = await describeOne({ method: 'POST', requestHeaders, args: gzipSync('["x"]') });
    expect(entry?.args).toHaveLength(0);
  });
});

describe('the build that answered', () => {
  const own = '0:{"q":"","i":false,"S":true,"b":"build-a"}\n';
  const none = '0:{"q":"","i":false,"S":true}\n';

  it.each([
    ['its payload says', { chunks: [[1, push(own)]] }, 'build-a'],
    [
      'a document says where the app has a deployment id',
      { chunks: [[1, `<!DOCTYPE html><html lang="en" data-dpl-id="dpl-7"><body>${push(none)}`]] },
      'dpl-7',
    ],
    [
      'a header says where the app has a deployment id',
      { chunks: [[1, push(none)]], responseHeaders: { ...html.responseHeaders, 'x-nextjs-deployment-id': 'dpl-7' } },
      'dpl-7',
    ],
    [
      'nobody says where Next.js says one id for all',
      { chunks: [[1, push(own.replace('build-a', 'build-TfctsWXpff2fKS'))]] },
      '',
    ],
    ['the operator says, where the answer does not', { chunks: [[1, push(none)]], release: 'v7' }, 'v7'],
    ['the answer says, whatever the operator does', { chunks: [[1, push(own)]], release: 'v7' }, 'build-a'],
    ['nobody says', { chunks: [[1, push(none)]] }, ''],
    ['is as long as a release at most', { chunks: [[1, push(none)]], release: 'v'.repeat(300) }, 'v'.repeat(200)],
  ] as const)('is what %s', async (_, more, build) => {
    expect((await describeOne({ ...html, ...more }))[0]?.head.build).toBe(build);
  });
});
