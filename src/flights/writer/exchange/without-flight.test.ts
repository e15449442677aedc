import { describe, expect, it } from 'vitest';

import { createExchangeReader } from './describe-exchange.ts';
import { createExchange, describeOne, html, push, rows } from './testing/create-exchange.ts';

describe('an answer without Flight', () => {
  it.each([
    ['br', 'br'],
    ['GZIP', 'gzip'],
    [undefined, 'identity'],
    ['compress', null],
  ])('content-encoding %s is kept as %s', async (encoding, codec) => {
    const responseHeaders = encoding === undefined ? {} : { 'content-encoding': encoding };
    const [entry] = await describeOne({ target: '/x', requestHeaders: { rsc: '1' }, responseHeaders, status: 500 });
    expect(entry?.head.codec).toBe(codec);
  });

  it('is counted as lost where it may have been a page, and its coding is one that nobody knows', async () => {
    const coded = {
      responseHeaders: { ...html.responseHeaders, 'content-encoding': 'compress' },
      chunks: [[1, 'xyz']],
    } as const;
    await expect(describeOne({ ...html, ...coded })).rejects.toThrow('Content-Encoding is compress');
    // An endpoint of the app's own is none of our business.
    expect(await describeOne({ ...coded, target: '/api/prices' })).toEqual([]);
    expect(await describeOne({ ...html, ...coded, status: 500 })).toHaveLength(1);
  });

  it('is kept of a form without JavaScript, of which the action leads elsewhere', async () => {
    const type = 'multipart/form-data; boundary=x';
    const form = (name: string) => ({
      method: 'POST',
      target: '/cart',
      status: 303,
      requestHeaders: { ...html.requestHeaders, 'content-type': type },
      args: `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n--x--\r\n`,
    });
    const [entry] = await describeOne(form('$ACTION_ID_ab12'));
    expect(entry?.head).toMatchObject({ kind: 'action', actionId: 'ab12', status: 303, content: 'none' });
    // A form of the app's own, for an endpoint.
    expect(await describeOne(form('email'))).toEqual([]);
  });

  it('is kept of a page of which the browser has a copy, where the page has carried Flight', async () => {
    const describeExchange = createExchangeReader();
    const page = { ...html, target: '/blog/spring', chunks: [[1, push('0:{"P":null}\n')]] } as const;
    const again = { ...html, status: 304, responseHeaders: {}, target: '/blog/spring' };
    expect((await describeExchange(createExchange(again))).entries).toEqual([]);
    expect((await describeExchange(createExchange(page))).entries).toHaveLength(1);
    const [entry] = (await describeExchange(createExchange({ ...again, requestId: '2'.repeat(32) }))).entries;
    expect(entry?.head).toMatchObject({ kind: 'document', path: '/blog/spring', status: 304, codec: null });
    for (const other of [{ target: '/blog' }, { app: 'other' }]) {
      expect((await describeExchange(createExchange({ ...again, ...other }))).entries).toEqual([]);
    }
  });

  it('is kept of such a page where only its payload was seen', async () => {
    const describeExchange = createExchangeReader();
    const again = { ...html, status: 304, responseHeaders: {}, target: '/deals' };
    await describeExchange(
      createExchange({
        ...rows,
        target: '/deals?_rsc=1',
        requestHeaders: { rsc: '1', 'next-url': '/' },
        chunks: [[1, '0:{"P":null}\n']],
      }),
    );
    expect((await describeExchange(createExchange(again))).entries).toMatchObject([
      { head: { kind: 'document', path: '/deals', status: 304 } },
    ]);
  });
});
