import { describe, expect, it } from 'vitest';

import type { ExchangeFacts } from '../../watch/exchange.ts';
import { createExchangeReader } from './describe-exchange.ts';
import { createExchange, html, push } from './testing/create-exchange.ts';

const id = '40'.padEnd(42, 'a');
const payload = (build: string) => `0:{"q":"","i":false,"S":true,"b":"${build}"}\n`;
let requests = 0;

function createDrive() {
  const read = createExchangeReader();
  async function ask(given: Parameters<typeof createExchange>[0]) {
    requests += 1;
    const startedAt = 1_000_000 + requests * 10_000;
    return read(createExchange({ requestId: String(requests).padStart(32, '0'), startedAt, ...given }));
  }
  const of = (described: Awaited<ReturnType<typeof ask>>) => {
    const head = described.entries[0]?.head;
    return [head?.build, head?.tabBuild, described.tried?.rule];
  };
  return {
    load: (build: string, more: Partial<ExchangeFacts> = {}) =>
      ask({ ...html, target: '/cart', chunks: [[1, push(payload(build))]], ...more }),
    async go(build: string, more: Partial<ExchangeFacts> = {}) {
      const requestHeaders = { rsc: '1', 'next-url': '/', referer: 'http://app/cart' };
      const responseHeaders = { 'content-type': 'text/x-component' };
      return of(await ask({ target: '/a', requestHeaders, responseHeaders, chunks: [[1, payload(build)]], ...more }));
    },
    async miss(target: string, more: Partial<ExchangeFacts> = {}) {
      const requestHeaders = { referer: 'http://app/cart', 'sec-fetch-dest': 'script' };
      const { entries } = await ask({ target, status: 404, requestHeaders, ...more });
      return entries.map(({ head: { kind, path, build, tabBuild } }) => [kind, path, build, tabBuild]);
    },
    async submit(actionId: string, headers: Record<string, string> = {}) {
      const requestHeaders = { accept: 'text/html', 'content-type': 'multipart/form-data; boundary=-b', ...headers };
      const responseHeaders = { 'content-type': 'text/plain', 'x-nextjs-action-not-found': '1' };
      const args = `---b\r\nContent-Disposition: form-data; name="$ACTION_ID_${actionId}"\r\n\r\n\r\n---b--\r\n`;
      const form = { method: 'POST', target: '/cart', status: 409, requestHeaders, responseHeaders, args };
      const described = await ask({ ...form, chunks: [[1, 'Server Action unavailable.']] });
      return [...of(described), described.tried?.action];
    },
    async call(more: Parameters<typeof ask>[0] = {}, headers: Record<string, string> = {}) {
      const requestHeaders = { 'next-action': id, 'content-type': 'text/plain', ...headers };
      const responseHeaders = { 'content-type': 'text/plain', 'x-nextjs-action-not-found': '1' };
      const call = { method: 'POST', target: '/cart', status: 409, requestHeaders, responseHeaders };
      return of(await ask({ ...call, args: '[]', chunks: [[1, 'Server Action unavailable.']], ...more }));
    },
  };
}

describe('after a deploy', () => {
  it('what a tab of the build before goes to and calls says both builds; a tab of this one says nothing', async () => {
    const { load, go, call } = createDrive();
    await load('a');
    expect(await go('a')).toEqual(['a', null, undefined]);
    await load('b', { peer: '192.0.2.9' });
    expect(await go('b', { peer: '192.0.2.9' })).toEqual(['b', null, undefined]);
    expect(await call()).toEqual(['b', 'a', undefined]);
    expect(await go('b')).toEqual(['b', 'a', undefined]);
    // It loads the document again.
    await load('b');
    expect(await go('b')).toEqual(['b', null, undefined]);
  });

  it('a form without JavaScript whose action is gone says both builds, and one from nowhere is a forged call', async () => {
    const { load, submit } = createDrive();
    await load('a');
    await load('b', { peer: '192.0.2.9' });
    expect(await submit(id, { referer: 'http://app/cart' })).toEqual(['b', 'a', undefined, undefined]);
    const stranger = createDrive();
    expect(await stranger.submit('zz')).toEqual(['', null, 'unknown-action', 'zz']);
    expect(await stranger.submit(id, { referer: 'http://app/cart' })).toEqual(['', 'unknown', undefined, undefined]);
  });

  it('a call that nobody’s client wrote is of no tab, and says nothing of what answers', async () => {
    const { load, go, call } = createDrive();
    await load('a');
    await load('b', { peer: '192.0.2.9' });
    const forged = { args: '[{"password":"x","a":1},"$0:0:constructor"]' };
    expect((await call(forged)).slice(1)).toEqual([null, 'path']);
    expect((await call(forged)).slice(1)).toEqual([null, 'path']);
    expect(await go('b', { peer: '192.0.2.9' })).toEqual(['b', null, undefined]);
    expect(await call()).toEqual(['b', 'a', undefined]);
  });

  it('a call that failed without a payload is one that was lost, whatever the framework answers', async () => {
    const { load, call } = createDrive();
    await load('a');
    const failed = { status: 500, responseHeaders: { 'content-type': 'text/plain' } };
    expect(await call(failed)).toEqual(['', null, undefined]);
    await load('b', { peer: '192.0.2.9' });
    expect(await call(failed)).toEqual(['b', 'a', undefined]);
    expect(await call({ ...failed, status: 200 })).toEqual(['', null, undefined]);
  });

  it('a page in place of what an action answers is Next.js 14, which does not have it', async () => {
    const { load, call } = createDrive();
    const answered = { status: 200, responseHeaders: { 'content-type': 'text/html; charset=utf-8' } };
    const page = { ...answered, chunks: [[1, push(payload('b'))]] as const };
    expect(await call(page)).toEqual(['b', null, 'unknown-action']);
    // An error of what stands in front of the app, and what an action answers.
    expect(await call({ ...answered, status: 502, chunks: [[1, '<h1>Bad gateway']] })).toEqual(['', null, undefined]);
    const flight = { 'content-type': 'text/x-component' };
    expect(await call({ status: 200, responseHeaders: flight })).toEqual(['', null, undefined]);
    await load('a');
    expect(await call(page)).toEqual(['b', 'a', undefined]);
  });

  it('a script that is gone says both builds, where a tab of the build before asks for it', async () => {
    const { load, miss, go } = createDrive();
    const chunk = '/_next/static/chunks/817.js?v=1';
    await load('a');
    // The build that answers is the tab's: its own page names what is not there.
    expect(await miss(chunk)).toEqual([]);
    await load('b', { peer: '192.0.2.9' });
    expect(await miss(chunk, { peer: '192.0.2.9' })).toEqual([]);
    expect(await miss(chunk, { peer: '198.51.100.1' })).toEqual([]);
    expect(await miss(chunk)).toEqual([['other', '/_next/static/chunks/817.js', 'b', 'a']]);
    // A page of the framework in place of the file changes nothing, and is no document of the tab.
    const page = { ...html, requestHeaders: { 'sec-fetch-dest': 'style' }, chunks: [[1, push(payload('b'))]] as const };
    expect(await miss('/assets/a.css', page)).toEqual([['other', '/assets/a.css', 'b', 'a']]);
    expect(await go('b')).toEqual(['b', 'a', undefined]);
    await load('b');
    expect(await miss(chunk)).toEqual([]);
  });

  it('a deployment id that the tab names is its build', async () => {
    const { call } = createDrive();
    expect(await call({}, { 'x-deployment-id': 'dpl-a' })).toEqual(['', 'dpl-a', undefined]);
  });

  it('a deployment id that the tab names is no build where answers go by the id of the build, as in Next.js 15', async () => {
    const { load, go, call } = createDrive();
    const requestHeaders = { rsc: '1', 'next-url': '/', referer: 'http://app/cart', 'x-deployment-id': 'v2' };
    await load('a');
    expect(await go('a', { requestHeaders })).toEqual(['a', null, undefined]);
    await load('b', { peer: '192.0.2.9' });
    expect(await call({}, { 'x-deployment-id': 'v2' })).toEqual(['b', 'a', undefined]);
  });

  it('the first answer may not name its build yet; instances differ where the tab’s build goes on', async () => {
    const { load, go, call } = createDrive();
    await load('a');
    expect(await call()).toEqual(['', 'a', undefined]);
    expect(await call()).toEqual(['', 'a', undefined]);
    await load('b', { peer: '192.0.2.9' });
    expect(await call()).toEqual(['b', 'a', undefined]);
    const peer = '192.0.2.9';
    expect(await call({ peer })).toEqual(['', 'b', undefined]);
    expect(await go('b', { peer })).toEqual(['b', null, undefined]);
    expect(await call({ peer })).toEqual(['b', 'b', undefined]);
    expect(await call({ peer })).toEqual(['b', 'b', undefined]);
    await load('c', { peer: '192.0.2.8' });
    expect(await call({ peer: '192.0.2.8' })).toEqual(['', 'c', undefined]);
  });

  it('one of two tabs of a browser is the older one, whichever of them asks, and instances do not differ', async () => {
    const { load, go, call } = createDrive();
    await load('a');
    await load('b');
    expect(await call()).toEqual(['b', 'unknown', undefined]);
    expect(await go('b')).toEqual(['b', null, undefined]);
    await load('b');
    expect(await call()).toEqual(['b', 'unknown', undefined]);
    // Of which of the two a tab is that the next build answers, nobody knows.
    await load('c', { peer: '192.0.2.9' });
    expect(await go('c')).toEqual(['c', 'unknown', undefined]);
    expect(await go('a')).toEqual(['a', null, undefined]);
  });

  it('the newest document of a visitor is not that of a tab from before this process', async () => {
    const { load, call } = createDrive();
    await load('b');
    const ofOther = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
    expect(await call({}, ofOther)).toEqual(['b', 'unknown', undefined]);
  });
});

describe('an action that the build does not have', () => {
  it('is a stranger’s try, where nobody loaded a page and the call is not as a page makes it', async () => {
    const { load, call } = createDrive();
    await load('b', { peer: '192.0.2.9' });
    expect(await call()).toEqual(['', null, 'unknown-action']);
  });

  it('is called by a tab from before this process, where it is', async () => {
    const { load, call } = createDrive();
    await load('b', { peer: '192.0.2.9' });
    const headers = { 'next-router-state-tree': '%5B%22%22%5D', referer: 'http://app/cart' };
    expect(await call({}, headers)).toEqual(['b', 'unknown', undefined]);
  });
});
