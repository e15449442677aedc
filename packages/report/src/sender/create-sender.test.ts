import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { mintEventId, type AppError } from './app-error.ts';
import { createSender, type Sender } from './create-sender.ts';

const address = { base: 'http://127.0.0.1:4000/mounted', app: 'shop', key: 'k'.repeat(32) };

let posted: { readonly url: string; readonly init: RequestInit; readonly errors: AppError[] }[];
let answers: (() => Response | Promise<Response>)[];
let warnings: string[];
let sender: Sender;

async function post(url: unknown, init: RequestInit = {}): Promise<Response> {
  const { errors }: { errors: AppError[] } = JSON.parse(String(init.body));
  posted.push({ url: String(url), init, errors });
  return answers.shift()?.() ?? Response.json({});
}

beforeEach(() => {
  posted = [];
  answers = [];
  warnings = [];
  sender = createSender({ address, warn: (message) => warnings.push(message), fetch: post, retryMs: [1, 1] });
});

afterEach(() => vi.useRealTimers());

function createError(message = 'boom'): AppError {
  return { id: mintEventId(), time: 1, reporter: 'next', name: 'Error', message };
}

function send(...messages: string[]): void {
  for (const message of messages) void sender.send(() => createError(message));
}

describe('what becomes of an error', () => {
  const sendOne = (message: string) => sender.send(() => createError(message));

  it('is known when it is stored', async () => {
    expect(await Promise.all([sendOne('one'), sendOne('two')])).toEqual(['stored', 'stored']);
  });

  it('is known at once while the recorder does not answer, though it is tried again', async () => {
    answers = [() => new Response(null, { status: 503 })];
    expect(await sendOne('one')).toBe('waiting');
    await sender.settle();
    expect(posted.map(({ errors }) => errors[0]?.message)).toEqual(['one', 'one']);
    expect(await sendOne('two')).toBe('stored');
  });

  it('is known for those that wait behind one that failed', async () => {
    const failing = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    answers = [
      () => {
        asked.resolve();
        return failing.promise;
      },
    ];
    const first = sendOne('one');
    await asked.promise;
    const second = sendOne('two');
    failing.resolve(new Response(null, { status: 503 }));
    expect(await Promise.all([first, second])).toEqual(['waiting', 'waiting']);
    await sender.settle();
  });

  it('is lost when it is refused, cannot be described, or too many wait', async () => {
    answers = [() => new Response(null, { status: 401 })];
    const undescribed = sender.send(() => {
      throw new Error('no');
    });
    expect(await Promise.all([sendOne('one'), undescribed])).toEqual(['lost', 'lost']);
    const many = Array.from({ length: 101 }, (_, n) => sendOne(String(n)));
    expect(await many.at(-1)).toBe('lost');
    await sender.settle();
  });

  it('has no address to go to at first', async () => {
    const known: (typeof address)[] = [];
    const late = createSender({
      address: () => known[0],
      warn() {},
      fetch: async () => Response.json({}),
      retryMs: [1],
    });
    expect(await late.send(() => createError())).toBe('waiting');
    known.push(address);
    await late.settle();
    expect(await late.send(() => createError())).toBe('stored');
  });
});

describe('the sender', () => {
  it('waits for nothing where it need not gather', async () => {
    vi.useFakeTimers();
    const hasty = createSender({ address, warn() {}, fetch: async () => Response.json({}), gatherMs: 0 });
    expect(await hasty.send(() => createError())).toBe('stored');
  });

  it('sends what came together at once, with the key in a header', async () => {
    send('one', 'two');
    expect(posted).toEqual([]);
    await sender.settle();
    expect(posted.map(({ url, errors }) => [url, errors.map(({ message }) => message)])).toEqual([
      ['http://127.0.0.1:4000/mounted/api/shop/errors', ['one', 'two']],
    ]);
    expect(new Headers(posted[0]?.init.headers).get('authorization')).toBe(`Bearer ${address.key}`);
    expect(posted[0]?.init.redirect).toBe('error');
  });

  it('loses those of a flood, and none of the others', async () => {
    const at = (file: string) => `Error: x\n    at c (${file}:1:1)\n    at d (other.js:1:1)`;
    const sendAs = (message: string, digest: string, stack: string) =>
      void sender.send(() => createError(message), { digest, stack });
    for (let n = 0; n < 300; n += 1) {
      sendAs('reloaded', '4040404040', at('page.js'));
      if (n % 30 === 0) sendAs(`same place ${n}`, String(n), at('page.js'));
    }
    for (let n = 0; n < 300; n += 1) sendAs('made up', `d${n}`, '');
    sendAs('elsewhere', '7070707070', at('cart.js'));
    await sender.settle();
    const messages = posted.flatMap(({ errors }) => errors.map(({ message }) => message));
    expect(messages).toHaveLength(100);
    expect(messages).toContain('elsewhere');
    expect(messages.filter((message) => message.startsWith('same place'))).toHaveLength(10);
  });

  it('keeps those that wait when a flood of different ones comes', async () => {
    const stack = (place: number) => `Error: x\n    at c (${place}.js:1:1)`;
    for (let n = 0; n < 3; n += 1) {
      void sender.send(() => createError(`real ${n}`), { digest: `${n}`, stack: stack(0) });
    }
    for (let n = 1; n < 300; n += 1) {
      void sender.send(() => createError('made up'), { digest: `d${n}`, stack: stack(n) });
    }
    await sender.settle();
    const messages = posted.flatMap(({ errors }) => errors.map(({ message }) => message));
    expect(messages.slice(0, 3)).toEqual(['real 0', 'real 1', 'real 2']);
  });

  it('takes what comes behind different ones: any of the later ones makes room', async () => {
    for (const [random, isKept] of [
      [() => 0, true],
      [() => 0.9999, false],
    ] as const) {
      posted = [];
      const own = createSender({ address, warn: () => undefined, fetch: post, random });
      for (let n = 1; n <= 130; n += 1) {
        void own.send(() => createError('made up'), { digest: '', stack: `Error: x\n    at c (x.js:1:${n})` });
      }
      void own.send(() => createError('real'), { digest: '7070707070', stack: 'Error: y\n    at c (cart.js:1:1)' });
      await own.settle();
      const messages = posted.flatMap(({ errors }) => errors.map(({ message }) => message));
      expect([messages.length, messages.includes('real')]).toEqual([100, isKept]);
    }
  });

  it('drops what nothing shows to be the app’s before any other, however much of it comes', async () => {
    for (const random of [() => 0, () => 0.5, () => 0.9999]) {
      posted = [];
      const own = createSender({ address, warn: () => undefined, fetch: post, random });
      const tell = (message: string, n: number, isVague: boolean) =>
        void own.send(() => createError(message), { stack: `Error: x\n    at c (x.js:1:${n})`, isVague });
      for (let n = 1; n <= 400; n += 1) tell(n % 20 === 0 ? 'real' : 'made up', n, n % 20 !== 0);
      await own.settle();
      const messages = posted.flatMap(({ errors }) => errors.map(({ message }) => message));
      expect(messages).toHaveLength(100);
      expect(messages.filter((message) => message === 'real')).toHaveLength(20);
    }
  });

  it('sends at most 20 errors and 900 kB at once, and keeps 100', async () => {
    send(...Array.from({ length: 130 }, String));
    await sender.settle();
    expect(posted.map(({ errors }) => errors.length)).toEqual([20, 20, 20, 20, 20]);
    expect(warnings).toEqual([expect.stringContaining('More than 100 errors wait')]);
    posted = [];
    send('x'.repeat(200_000), 'y'.repeat(200_000), 'z');
    await sender.settle();
    expect(posted.map(({ errors }) => errors.length)).toEqual([1, 2]);
  });

  it('tries again when the recorder has no time or no answer, with the same events, and does not speak of it', async () => {
    answers = [() => Promise.reject(new Error('connect ECONNREFUSED')), () => new Response('', { status: 503 })];
    send('one');
    await sender.settle();
    expect(posted).toHaveLength(3);
    expect(new Set(posted.map(({ errors }) => errors[0]?.id)).size).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('gives up after its tries, and sends the next error', async () => {
    answers = Array.from({ length: 3 }, () => () => new Response('', { status: 500 }));
    send('one');
    await sender.settle();
    expect(posted).toHaveLength(3);
    send('two');
    await sender.settle();
    expect(posted.at(-1)?.errors[0]?.message).toBe('two');
    expect(warnings).toEqual([expect.stringMatching(/did not take errors \(500\): one is lost/)]);
  });

  it('warns again when the recorder had answered in between', async () => {
    const lost = Array.from(
      { length: 3 },
      () => () => Response.json({ error: { code: 'busy', message: 'Later.' } }, { status: 503 }),
    );
    answers = [...lost, ...lost, () => Response.json({}), ...lost];
    send('one');
    await sender.settle();
    send('still down');
    await sender.settle();
    expect(warnings).toHaveLength(1);
    send('two');
    await sender.settle();
    send('three');
    await sender.settle();
    expect(warnings).toHaveLength(2);
    // In the recorder's words, not in its JSON.
    expect(warnings[1]).toContain('(503 busy: Later.): one is lost');
  });

  it('waits as long as the recorder asks for', async () => {
    answers = [() => new Response('', { status: 429, headers: { 'retry-after': '1' } })];
    const began = performance.now();
    send('one');
    await sender.settle();
    expect(posted).toHaveLength(2);
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });

  it.each([400, 413])('loses one error alone where its text is refused with %i', async (status) => {
    const refuse = () => Response.json({ error: { code: 'malformed-request' } }, { status });
    answers = [refuse, () => Response.json({}), refuse, () => Response.json({})];
    const fates = ['one', 'two', 'three'].map((message) => sender.send(() => createError(message)));
    expect(await Promise.all(fates)).toEqual(['stored', 'lost', 'stored']);
    expect(posted.map(({ errors }) => errors.length)).toEqual([3, 1, 1, 1]);
    expect(warnings).toEqual([expect.stringMatching(/refuses.*malformed-request/)]);
  });

  it('does not send again what is refused, and says why', async () => {
    answers = [() => Response.json({ error: { code: 'wrong-key' } }, { status: 401 })];
    send('one');
    await sender.settle();
    expect(posted).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/refuses.*"shop".*401.*wrong-key/)]);
  });

  it('leaves out what cannot be described', async () => {
    sender.send(() => {
      throw new Error('a getter');
    });
    send('fine');
    await sender.settle();
    expect(posted.map(({ errors }) => errors.map(({ message }) => message))).toEqual([['fine']]);
  });
});

describe('the process around it', () => {
  const program = `
    const { createSender } = await import('./packages/report/src/sender/create-sender.ts');
    const [port, settles] = process.argv.slice(1);
    const address = { base: 'http://127.0.0.1:' + port, app: 'shop', key: 'k' };
    const sender = createSender({ address, warn: console.warn, retryMs: [50] });
    sender.send(() => ({ id: '1', time: 1, reporter: 'rsc', name: 'Error', message: 'last words' }));
    if (settles === 'yes') await sender.settle();
  `;

  it.each([
    ['yes', 2],
    ['no', 0],
  ])('waits for it when it is asked to (%s), and otherwise ends', async (settles, requests) => {
    let count = 0;
    const server = createServer((_request, response) => {
      count += 1;
      response.writeHead(count === 1 ? 503 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const found = server.address();
    const port = typeof found === 'object' ? String(found?.port) : '';
    const options = { cwd: path.join(import.meta.dirname, '../../../..') };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, port, settles], options);
    server.close();
    expect(count).toBe(requests);
  });
});
