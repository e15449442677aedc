import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { FileRule } from '#src/server/http/file-rule.ts';
import { setSecurityHeaders } from '#src/server/http/security-headers.ts';

import { createFileSender } from './send-file.ts';
import { indexStaticFiles } from './static-files.ts';

let folder: string;
let server: Server;
let origin: string;
let asked: string[];
let answered: number[];
let order: string[];
let admits: NonNullable<FileRule['admits']>;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'send-file-'));
  for (const [name, text] of [
    ['lab/index.html', '<script>one()</script>'],
    ['assets/a-b.js', 'export {}'],
    ['a%20b.svg', '<svg/>'],
    ['404.html', 'nothing'],
    ['healthz', 'a file in the way of an answer'],
  ] as const) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  asked = [];
  answered = [];
  order = [];
  admits = ({ path: asks }) => {
    asked.push(asks);
    return true;
  };
  const rules: FileRule[] = [
    { prepare: (headers) => setSecurityHeaders(headers, '') },
    { admits: (file) => admits(file) },
    { admits: () => order.push('second') > 0, answers: (asks) => asks === '/healthz' },
    {
      send({ answerHeaders }) {
        order.push('sent');
        answerHeaders.push('x-request-id', 'id');
        return (status) => void answered.push(status);
      },
    },
  ];
  const sendFile = createFileSender(indexStaticFiles(folder, ''), rules);
  server = createServer(async (incoming, outgoing) => {
    if (!(await sendFile(incoming, outgoing, () => ''))) outgoing.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

describe('a file that every rule lets through', () => {
  it('goes out with the security headers, its policy and those of the rules', async () => {
    const response = await fetch(`${origin}/lab`);
    expect([response.status, await response.text()]).toEqual([200, '<script>one()</script>']);
    expect(response.headers.get('content-security-policy')).toContain("'sha256-");
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('x-request-id')).toBe('id');
    expect(answered).toEqual([200]);
  });

  it('is not sent again to whoever has it', async () => {
    const etag = (await fetch(`${origin}/assets/a-b.js`)).headers.get('etag') ?? '';
    const response = await fetch(`${origin}/assets/a-b.js`, { headers: { 'if-none-match': etag } });
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answered).toEqual([200, 304]);
  });
});

it('asks the rules one after the other, also behind one that waits', async () => {
  admits = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('first');
    return true;
  };
  expect((await fetch(`${origin}/lab`)).status).toBe(200);
  expect(order).toEqual(['first', 'second', 'sent']);
});

describe('what goes on to the middlewares', () => {
  it('is a file that a rule does not let through, at once or later', async () => {
    admits = () => false;
    expect((await fetch(`${origin}/lab`)).status).toBe(418);
    admits = async () => false;
    expect((await fetch(`${origin}/lab`)).status).toBe(418);
    expect([order, answered]).toEqual([[], []]);
  });

  it('is a file whose client has gone while a rule waited', async () => {
    const gone = new AbortController();
    const waiting = Promise.withResolvers<void>();
    admits = async ({ outgoing }) => {
      waiting.resolve();
      await new Promise((resolve) => outgoing.on('close', resolve));
      return true;
    };
    const answer = fetch(`${origin}/lab`, { signal: gone.signal }).catch(() => undefined);
    await waiting.promise;
    gone.abort();
    await answer;
    expect((await fetch(`${origin}/assets/a-b.js`, { method: 'HEAD' })).status).toBe(418);
    expect(answered).toEqual([]);
  });

  it.each(['/lab/', '/lab?a', '/l%61b', '/a%20b.svg', '/404', '/gone', '/healthz'])(
    'is %s, which is not even asked for',
    async (target) => {
      expect((await fetch(origin + target)).status).toBe(418);
      expect(asked).toEqual([]);
    },
  );

  it.each(['HEAD', 'POST', 'DELETE'])('is a %s', async (method) => {
    expect((await fetch(`${origin}/lab`, { method })).status).toBe(418);
    expect(asked).toEqual([]);
  });
});
