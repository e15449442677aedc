import { request } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** The three sizes of our own responses, against what a client counts that knows nothing of the recorder. */
type Asked = { readonly target: string; readonly encoding: string; readonly cookie: string; readonly etag?: string };
type Answer = {
  readonly id: string;
  readonly etag: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly body: Buffer;
};

function ask(server: RunningServer, { target, encoding, cookie, etag }: Asked): Promise<Answer> {
  const known = etag === undefined ? {} : { 'if-none-match': etag };
  const headers = { accept: 'text/html', 'accept-encoding': encoding, cookie, ...known };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.origin}${target}`, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        // A 304 names the coding of what it does not carry.
        const coding = bytes.length === 0 ? undefined : response.headers['content-encoding'];
        const body = coding === 'gzip' ? gunzipSync(bytes) : coding === 'br' ? brotliDecompressSync(bytes) : bytes;
        const { 'x-request-id': id, etag: tag = '', 'content-type': type = '' } = response.headers;
        resolve({ id: String(id), etag: tag, type, bytes, body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Leaves after the first bytes. */
function leave(server: RunningServer, target: string, cookie: string): Promise<string> {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip', cookie };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.origin}${target}`, { headers, agent: false }, (response) => {
      response.once('data', () => response.destroy());
      response.once('close', () => resolve(String(response.headers['x-request-id'])));
    });
    sent.on('error', reject);
    sent.end();
  });
}

type Row = { readonly flight: unknown; readonly response: unknown; readonly transferred: unknown };

function readRow(server: RunningServer, id: string): Row | undefined {
  const database = new DatabaseSync(path.join(server.dataFolder, 'flights.db'), { readOnly: true });
  const row = database
    .prepare('select content, bytes, flight_bytes, decoded_bytes, sent_bytes from flight where request_id = ?')
    .get(id);
  database.close();
  if (!row) return undefined;
  const flight = row['content'] === 'html' ? row['flight_bytes'] : row['bytes'];
  return { flight, response: row['decoded_bytes'], transferred: row['sent_bytes'] };
}

const push = /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\(("(?:[^"\\]|\\.)*")\);/g;

/** By itself: the texts of the page's scripts. */
function countFlight({ type, body }: Answer): number {
  if (!type.startsWith('text/html')) return body.length;
  let sum = 0;
  for (const [, text = ''] of body.toString().matchAll(push)) sum += Buffer.byteLength(String(JSON.parse(text)));
  return sum;
}

/** Rendered at once, in several parts, from a file; as pages and as payloads. */
const pages = ['/runtime', '/lab/slow?ms=50', '/lab/streaming', '/lab', '/lab/prefetch/3'];
const payloads = ['/RSC/R/runtime.txt', '/RSC/R/lab/streaming.txt', '/RSC/R/lab/prefetch/3.txt'];

test('are what a client counts, however the response is sent', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
  const cookie = await signIn(server);
  const expected = new Map<string, Row & { readonly name: string }>();
  for (const target of [...pages, ...payloads]) {
    for (const encoding of ['identity', 'gzip', 'br, gzip']) {
      const answer = await ask(server, { target, encoding, cookie });
      const { id, body, bytes } = answer;
      const sizes = { flight: countFlight(answer), response: body.length, transferred: bytes.length };
      expect(sizes.flight, target).toBeGreaterThan(1_000);
      expected.set(id, { name: `${target} ${encoding}`, ...sizes });
    }
  }
  const { etag } = await ask(server, { target: '/lab', encoding: 'gzip', cookie });
  const known = await ask(server, { target: '/lab', encoding: 'gzip', cookie, etag });
  expected.set(known.id, { name: 'a 304', flight: 0, response: 0, transferred: 0 });
  expect(expected.size).toBe((pages.length + payloads.length) * 3 + 1);
  for (const [id, { name, ...sizes }] of expected) {
    await expect.poll(() => readRow(server, id), { timeout: 10_000, message: name }).toEqual(sizes);
  }
});

test('leave out the notice that is written into pages while the login is off', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'off' } });
  for (const target of ['/runtime', '/lab']) {
    const answer = await ask(server, { target, encoding: 'gzip', cookie: '' });
    const notice = /<flight-login-off.*<\/flight-login-off>/.exec(answer.body.toString())?.[0].length ?? Number.NaN;
    const sizes = { flight: countFlight(answer), response: answer.body.length - notice, transferred: null };
    await expect.poll(() => readRow(server, answer.id), { timeout: 10_000 }).toEqual(sizes);
  }
});

test('are not known of what was not sent to its end', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
  const cookie = await signIn(server);
  const id = await leave(server, '/lab/streaming', cookie);
  await expect
    .poll(() => readRow(server, id), { timeout: 10_000 })
    .toMatchObject({ response: null, transferred: null });
});
