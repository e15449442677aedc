import { afterAll, beforeAll, expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * Requests that cannot be read, as bytes on a socket. Each gets one 4xx and one line in the log. The answer says
 * nothing about the server: no stack, no path, no name of a module.
 */
let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server[Symbol.asyncDispose]());

type Row = readonly [name: string, status: number, bytes: string];

const host = 'Host: HOST\r\nConnection: close';
const own = `${host}\r\nOrigin: http://HOST`;
const unknownAction = 'x-flight-action: 0123456789ab/gone';
const multipart = 'Content-Type: multipart/form-data; boundary=x';

function get(target: string, headers: string = host): string {
  return `GET ${target} HTTP/1.1\r\n${headers}\r\n\r\n`;
}

function post(target: string, headers: string, body: string): string {
  return `POST ${target} HTTP/1.1\r\n${own}\r\n${headers}\r\n\r\n${body}`;
}

function withLength(target: string, headers: string, body: string): string {
  return post(target, `${headers}\r\nContent-Length: ${body.length}`, body);
}

function chunked(target: string, headers: string, body: string): string {
  return post(target, `${headers}\r\nTransfer-Encoding: chunked`, body);
}

const requestLines: readonly Row[] = [
  ['no HTTP at all', 400, 'hello\r\n\r\n'],
  ['TLS on a plain port', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/2 without asking', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method that is none', 400, `BOGUS / HTTP/1.1\r\n${host}\r\n\r\n`],
  ['a method in small letters', 400, `get / HTTP/1.1\r\n${host}\r\n\r\n`],
  ['a method that no route has', 405, `PROPFIND / HTTP/1.1\r\n${host}\r\n\r\n`],
  ['TRACE', 405, `TRACE / HTTP/1.1\r\n${host}\r\n\r\n`],
  ['CONNECT', 405, `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n\r\n`],
  ['HTTP/3.0', 400, `GET / HTTP/3.0\r\n${host}\r\n\r\n`],
  ['HTTP/0.9', 400, 'GET /\r\n\r\n'],
  ['HTTP/1.0 without a Host', 400, 'GET / HTTP/1.0\r\n\r\n'],
  ['bare line feeds', 400, 'GET / HTTP/1.1\nHost: HOST\n\n'],
  ['a space in the target', 400, get('/la b')],
  ['an upgrade', 400, get('/', `Host: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket`)],
  ['an absolute target', 400, get('http://HOST/')],
  ['an absolute target of another host', 400, get('http://evil.example/')],
  ['an asterisk', 400, `OPTIONS * HTTP/1.1\r\n${host}\r\n\r\n`],
];

const targets: readonly Row[] = [
  ['//', 400, get('//runtime')],
  ['// further on', 400, get('/lab//slow')],
  ['a backslash', 400, get('/\\runtime')],
  ['%2f', 400, get('/lab%2fslow')],
  ['%5C', 400, get('/lab%5Cslow')],
  ['%00', 400, get('/lab%00')],
  ['a control character', 400, get('/lab%0d%0aset-cookie:x')],
  ['dot segments', 400, get('/lab/../runtime')],
  ['encoded dot segments', 400, get('/lab/%2e%2E/runtime')],
  ['half an escape', 400, get('/lab%2')],
  ['escapes that are no UTF-8', 400, get('/lab%c3%28')],
  ['bytes above ASCII', 400, get('/l\xe4b')],
  ['a fragment', 400, get('/lab#top')],
  ['9 KiB', 414, get(`/${'x'.repeat(9 * 1024)}`)],
];

const headers: readonly Row[] = [
  ['no Host', 400, 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', 400, get('/', `${host}\r\nhost: HOST`)],
  ['two Hosts, one of them foreign', 400, get('/', `${host}\r\nHost: evil.example`)],
  ['an empty Host', 421, get('/', 'Host:')],
  ['another Host', 421, get('/', 'Host: evil.example')],
  // Probes of balancers need no name (src/server/adapter/check-request-head.test.ts).
  ['another Host for health, by a page', 421, get('/healthz', 'Host: evil.example\r\nOrigin: http://evil.example')],
  ['another Host for what begins like health', 421, get('/healthz/x', 'Host: evil.example')],
  ['another Host for a static file', 421, get('/favicon.svg', 'Host: evil.example')],
  ['our name and another port', 421, get('/', 'Host: 127.0.0.1:1')],
  ['a Host with a user', 421, get('/', 'Host: a@HOST')],
  ['a Host that begins like ours', 421, get('/', 'Host: HOST.evil.example')],
  ['another Origin', 403, get('/', `${host}\r\nOrigin: http://evil.example`)],
  ['no Origin to speak of', 403, get('/', `${host}\r\nOrigin: null`)],
  ['our Origin twice', 403, get('/', `${own}\r\nOrigin: http://HOST`)],
  ['our name and another scheme', 403, get('/', `${host}\r\nOrigin: https://HOST`)],
  ['localhost acting on 127.0.0.1', 403, get('/', `${host}\r\nOrigin: http://localhost:PORT`)],
  ['a sibling site that posts', 403, post('/', 'Sec-Fetch-Site: same-site\r\nContent-Length: 0', '')],
  ['a folded header', 400, get('/', `${host}\r\nx-folded: a\r\n b`)],
  ['a space before the colon', 400, get('/', `${host}\r\nx-space : a`)],
  ['a header without a colon', 400, get('/', `${host}\r\nno colon here`)],
  ['a NUL in a header', 400, get('/', `${host}\r\nx-nul: a\0b`)],
  ['a bare CR in a header', 400, get('/', `${host}\r\nx-cr: a\rb`)],
  ['17 KiB of headers', 431, get('/', `${host}\r\nx-long: ${'x'.repeat(17 * 1024)}`)],
  ['150 headers', 431, get('/', `${host}\r\n${Array.from({ length: 150 }, (_, at) => `x-${at}: 1`).join('\r\n')}`)],
  ['an expectation', 417, get('/', `${host}\r\nExpect: a-miracle`)],
];

const framing: readonly Row[] = [
  ['two lengths', 400, post('/', 'Content-Length: 1\r\nContent-Length: 2', 'ab')],
  ['a length and chunks', 400, post('/', 'Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
  ['a negative length', 400, post('/', 'Content-Length: -1', '')],
  ['a length in words', 400, post('/', 'Content-Length: one', 'a')],
  ['an endless length', 400, post('/', `Content-Length: ${'9'.repeat(40)}`, 'a')],
  ['an encoding that is not chunked', 400, post('/', 'Transfer-Encoding: gzip, chunked', '0\r\n\r\n')],
  ['a GET with a body', 400, `GET / HTTP/1.1\r\n${host}\r\nContent-Length: 4\r\n\r\nbody`],
  ['a GET with chunks', 400, `GET / HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['2 MiB declared', 413, post('/lab/actions', 'Content-Length: 2097152', 'a')],
  ['2 MiB declared, after asking', 413, post('/lab/actions', 'Content-Length: 2097152\r\nExpect: 100-continue', '')],
  ['2 MiB declared for health', 413, post('/healthz', 'Content-Length: 2097152', 'a')],
  ['garbage for a chunk, for a page', 415, chunked('/lab', 'Content-Type: text/plain', 'zz\r\n')],
  ['garbage for a chunk, in a form', 400, chunked('/lab', multipart, 'zz\r\n')],
  ['garbage after a chunk, in a form', 400, chunked('/lab', multipart, '1\r\nab\r\n')],
  ['garbage for a chunk, in a report', 400, chunked('/tunnel', 'Content-Type: text/plain', 'zz\r\n')],
  ['a huge chunk extension', 400, chunked('/lab', multipart, `1;${'x'.repeat(20_000)}\r\na\r\n`)],
];

const routes: readonly Row[] = [
  ['an unknown action', 409, withLength('/lab/actions', unknownAction, '[]')],
  ['an inherited name for an action', 409, withLength('/lab/actions', 'x-flight-action: toString/call', '[]')],
  ['a path for an action', 400, withLength('/lab/actions', 'x-flight-action: ../../etc/passwd', '[]')],
  ['an action by its internal address', 404, withLength('/RSC/F/0123456789ab/gone.txt', 'x-any: 1', '[]')],
  [
    'an action without an origin',
    403,
    `POST /lab HTTP/1.1\r\n${host}\r\n${unknownAction}\r\nContent-Length: 2\r\n\r\n[]`,
  ],
  ['an action by PUT', 405, `PUT /lab HTTP/1.1\r\n${own}\r\n${unknownAction}\r\nContent-Length: 2\r\n\r\n[]`],
  ['a form that is none', 400, withLength('/lab/actions', multipart, 'junk')],
  ['a form without a boundary', 400, withLength('/lab/actions', 'Content-Type: multipart/form-data', 'junk')],
  ['two Content-Types', 400, withLength('/lab', `${multipart}\r\nContent-Type: text/plain`, 'junk')],
  ['a payload that is none', 400, get('/RSC/not-a-payload')],
  ['a payload without a name', 400, get('/RSC/')],
  ['a payload by POST', 405, withLength('/RSC/R/lab.txt', 'Content-Type: text/plain', 'a')],
  ['PUT of a page', 405, `PUT /lab HTTP/1.1\r\n${own}\r\nContent-Length: 0\r\n\r\n`],
  ['POST to a route of the API', 405, withLength('/flights/1/export', 'Content-Type: text/plain', 'a')],
  ['DELETE of events', 405, `DELETE /flights/events HTTP/1.1\r\n${own}\r\n\r\n`],
  ['DELETE of an address without a page', 405, `DELETE /gone HTTP/1.1\r\n${host}\r\n\r\n`],
  ['JSON to a page', 415, withLength('/lab', 'Content-Type: application/json', '{}')],
  ['POST to health', 405, withLength('/healthz', 'Content-Type: text/plain', 'a')],
  ['GET of the tunnel', 405, get('/tunnel')],
  ['a report that is none', 400, withLength('/tunnel', 'Content-Type: text/plain', 'junk')],
  ['a report in an unknown coding', 415, withLength('/tunnel', 'Content-Encoding: br', 'junk')],
  ['a report that is not gzip', 400, withLength('/tunnel', 'Content-Encoding: gzip', 'junk')],
];

const rows = [...requestLines, ...targets, ...headers, ...framing, ...routes];

test.each(rows)('%s: %i', async (_name, status, template) => {
  const bytes = template.replaceAll('HOST', server.host).replaceAll('PORT', String(server.port));
  let statuses: readonly number[] = [];
  let text = '';
  const lines = await server.linesAfter(async () => {
    ({ statuses, text } = await exchangeRaw(server.port, bytes, { waitMs: 2_000 }));
  });
  expect(statuses, text).toEqual([status]);
  expect(lines.map((line) => line.text)).toEqual([expect.stringMatching(/"event":"(?:request|tunnel)-refused"/)]);
  expect(lines[0]?.fields['status']).toBe(status);
  expect(text).toMatch(/^content-security-policy: .*default-src 'none'/im);
  expect(text).toMatch(/^x-content-type-options: nosniff\r$/im);
  expect(text).not.toMatch(/node_modules|dist\/|\.[jt]sx?:|\bat \S+ \(|[A-Z]\w*Error\b/);
  const id = /^x-request-id: ([0-9a-f]{32})\r$/im.exec(text)?.[1];
  expect(lines[0]?.fields['requestId']).toBe(id);
});

test('what cannot be read is shown in the log as text, and cut', async () => {
  const lines = await server.linesAfter(async () => {
    const hostile = `Host: ${server.host}\r\nOrigin: http://\x9b31m\xe9${'y'.repeat(1000)}`;
    await exchangeRaw(server.port, get(`/"${'x'.repeat(1000)}?secret=1`, hostile));
  });
  const [line] = lines;
  expect(line?.text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(line?.text).toContain(String.raw`Origin: http://\u009b31méy`);
  expect(line?.fields['route']).toMatch(/^\/"x{198}…$/);
  expect(line?.fields['detail']).toMatch(/^Origin: http:\/\/\u009b31m\u00e9y+…$/);
  expect(line?.text).not.toContain('secret');
});

test('the server is still there, and nothing else was said', async () => {
  const lines = await server.linesAfter(async () => {
    const { statuses } = await exchangeRaw(server.port, get('/', `Host: ${server.host}\r\nConnection: close`));
    expect(statuses).toEqual([200]);
  });
  expect(lines).toEqual([]);
});
