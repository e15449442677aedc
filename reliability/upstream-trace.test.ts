import { get } from 'node:http';

import { expect, test } from 'vitest';

import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * What a page's upstream is told of the trace, over the wire on both sides. The upstream is the server itself:
 * `/lab/page-data` requests it like any other. The page shows the headers that the upstream received.
 */
const traceId = '0123456789abcdef'.repeat(2);

async function read(server: RunningServer, path: string, headers: Record<string, string>): Promise<string> {
  return await new Promise((resolve, reject) => {
    get({ agent: false, host: '127.0.0.1', port: server.port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => resolve(body)).on('error', reject);
    }).on('error', reject);
  });
}

/** The text of the first `<output data-testid="…">` without other attributes. */
function readOutput(html: string, id: string): string {
  return new RegExp(`<output data-testid="${id}">([^<]*)</output>`).exec(html)?.[1] ?? `no output ${id} in ${html}`;
}

/** `length` characters of members that an encoder does not change, 100 characters each but the last. */
function makeBaggage(length: number): string {
  const members: string[] = [];
  for (let left = length; left > 0; left -= 101) {
    const name = `m${String(members.length).padStart(3, '0')}=`;
    members.push(name + 'v'.repeat(Math.max(1, Math.min(100, left) - name.length)));
  }
  return members.join(',');
}

test('an upstream is told the trace, and as much baggage as the limit takes, in whole members', async () => {
  await using server = await startServer();
  const asked = { 'sentry-trace': `${traceId}-${'1'.repeat(16)}-1` };
  const plain = await read(server, '/lab/page-data', asked);
  expect(readOutput(plain, 'trace')).toMatch(new RegExp(`^${traceId}-[0-9a-f]{16}$`));
  const own = readOutput(plain, 'baggage');
  expect(own).toMatch(new RegExp(`^sentry-trace_id=${traceId},sentry-environment=production,sentry-release=[^,=]+$`));

  for (const [length, kept] of [
    [200, 200],
    [8_000, 8_000],
    [8_190, 8_192 - own.length - 1],
    // A longer header is not read at all.
    [10_000, 0],
  ] as const) {
    const arrived = makeBaggage(length);
    const told = readOutput(await read(server, '/lab/page-data', { ...asked, baggage: arrived }), 'baggage');
    expect(told.length).toBeLessThanOrEqual(8_192);
    expect(told.slice(0, own.length)).toBe(own);
    const foreign = told.slice(own.length + 1);
    // Whole members are left out, one or two, and never a part of one.
    expect(foreign.length).toBeGreaterThanOrEqual(Math.max(0, kept - 101));
    const members = arrived.split(',');
    expect(foreign === '' ? [] : foreign.split(',').filter((member) => !members.includes(member))).toEqual([]);
  }
});
