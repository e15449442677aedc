import { readdirSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { runOperator } from './testing/run-operator.ts';
import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * What a stranger gets: every page in every spelling and by every transport, and every kind of POST, as bytes on a
 * socket. The database holds a message that only the product shows. The built decoder writes a line when it is entered.
 * Each kind of request is also sent by a person who is signed in; without that, no answer to the stranger would prove
 * nothing.
 */
const canary = 'canary-7f3e91c4';
const digest = '0123456789';
const shownDigest = '01234-56789';

let server: RunningServer;
let cookie: string;
/** Of the API: it reads and opens nothing else. */
let token: string;
/** `<module>/<export>` of an action of this build, the same as in a form, and the fields of a form that binds it. */
let actionHeader: string;
let actionField: string;
let boundFields: readonly (readonly [name: string, value: string])[];

type Sent = {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly body?: string;
};

async function send({ method = 'GET', target, headers = [], body }: Sent) {
  const all = [`Host: ${server.host}`, 'Connection: close', ...headers];
  if (body !== undefined) all.push(`Content-Length: ${Buffer.byteLength(body, 'latin1')}`);
  const answer = await exchangeRaw(
    server.port,
    `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body ?? ''}`,
  );
  const at = answer.text.indexOf('\r\n\r\n');
  const head = answer.text.slice(0, at);
  const rest = answer.text.slice(at + 4);
  const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
  return { status: answer.statuses[0] ?? 0, head, body: isChunked ? joinChunks(rest) : rest };
}

function joinChunks(text: string): string {
  let joined = '';
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n', at);
    const length = Number.parseInt(text.slice(at, end), 16);
    if (!(length > 0)) break;
    joined += text.slice(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
  return joined;
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');
}

function signedIn(sent: Sent): Sent {
  return { ...sent, headers: [...(sent.headers ?? []), `Cookie: ${cookie}`] };
}

function withToken(sent: Sent): Sent {
  return { ...sent, headers: [...(sent.headers ?? []), `Authorization: Bearer ${token}`] };
}

function listSources(folder: string): string[] {
  return readdirSync(path.join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
}

/** The path of every page of `src/pages`, and of every experiment of `src/lab`: a file is one, and may have pages of its own. */
function listPages(): string[] {
  const lab = listSources('../src/lab')
    .map((file) => /^([\w-]+)(?:\.tsx|\/pages\/(.+)\.tsx)$/.exec(file))
    .flatMap((found) => (found ? [`lab/${found[1]}${found[2] === undefined ? '' : `/${found[2]}`}.tsx`] : []));
  return [...listSources('../src/pages'), ...lab]
    .map((file) => file.replace(/\.tsx?$/, ''))
    .filter((file) => file !== '_root')
    .map(
      (file) =>
        `/${file}`
          .replace(/^\/_api/, '')
          .replaceAll(/\/\([^)]+\)/g, '')
          .replace(/\/index$/, '') || '/',
    )
    .map((route) => route.replace('[code]', shownDigest).replace(/\[\w+\]/, '3'));
}

async function countDecodes(act: () => Promise<unknown>): Promise<number> {
  const lines = await server.linesAfter(async () => void (await act()));
  return lines.filter((line) => line.event === 'decoded').length;
}

beforeAll(async () => {
  const watch = path.join(import.meta.dirname, 'testing/count-decodes.ts');
  server = await startServer({ env: { FLIGHT_AUTH: 'on' }, nodeOptions: ['--import', watch] });
  const watched = await server.waitForLine((line) => line.event === 'decoder-watched');
  expect(watched.fields['names']).toEqual(
    expect.arrayContaining(['decodeReply', 'decodeAction', 'decodeFormState', 'decodeReplyFromBusboy']),
  );
  const event = {
    event_id: 'f1d2d2f924e986ac86fdf7b36c94bcdf',
    level: 'error',
    exception: { values: [{ type: 'Error', value: canary }] },
    tags: { digest },
  };
  const envelope = [JSON.stringify({ event_id: event.event_id }), '{"type":"event"}', JSON.stringify(event)].join('\n');
  expect((await send({ method: 'POST', target: '/tunnel', body: envelope })).status).toBe(200);
  cookie = await signIn(server);
  token = (await runOperator(server.dataFolder, 'token', 'create', 'a program')).output.trim();
  const { body } = await send(signedIn({ target: '/lab/actions?key=access' }));
  const reference = /\{&quot;id&quot;:&quot;([0-9a-f]+#raiseCounter)&quot;/.exec(body)?.[1];
  if (reference === undefined) throw new Error('the page of the actions names none');
  actionHeader = reference.replace('#', '/');
  actionField = reference;
  const form = body.split('<form').find((part) => part.includes(reference)) ?? '';
  boundFields = Array.from(form.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g), (match) => [
    unescapeHtml(match[1] ?? ''),
    unescapeHtml(match[2] ?? ''),
  ]);
  expect(boundFields.length).toBeGreaterThan(1);
});

afterAll(() => server[Symbol.asyncDispose]());

function spell(page: string): string[] {
  const bare = page.slice(1);
  const letter = `%${page.charCodeAt(1).toString(16)}`;
  return [
    page,
    `${page}/`,
    `/${page}`,
    `//${page}`,
    page.toUpperCase(),
    `${page}?x=1`,
    `${page};x`,
    `${page}%00`,
    `${page}%20`,
    `${page}.txt`,
    `${page}.html`,
    `${page}/index.html`,
    `${page}/..${page}`,
    `/${letter}${page.slice(2)}`,
    `/%2f${bare}`,
    `/%5c${bare}`,
    `/\\${bare}`,
    `/.${page}`,
    `/x/..${page}`,
    `/%2e${page}`,
    `/x/%2e%2e${page}`,
    `/login/..${page}`,
    `/login/%2e%2e${page}`,
    `/login%2f..${page}`,
    `/login?next=${page}`,
    `/assets/..${page}`,
    `/assets/%2e%2e${page}`,
    `/assets/..%2f${bare}`,
    `/favicon.svg/..${page}`,
    `/healthz/..${page}`,
    `/tunnel/..${page}`,
    `http://${server.host}${page}`,
    `http://evil.example${page}`,
    `/RSC/R/${bare || '_root'}.txt`,
    `/RSC/R/_${bare}.txt`,
    `/RSC/R//${bare}.txt`,
    `/RSC/R/${bare || '_root'}`,
    `/RSC/R/${bare}/.txt`,
    `/RSC/R${page}.txt?query=x%3D1`,
    `/RSC//R/${bare}.txt`,
    `//RSC/R/${bare}.txt`,
    `/rsc/R/${bare}.txt`,
    `/RSC/r/${bare}.txt`,
    `/%52SC/R/${bare}.txt`,
    `/RSC/%52/${bare}.txt`,
    `/RSC/R/login/..%2f${bare}.txt`,
    `/RSC/S/${bare || '_root'}.txt`,
    `/RSC/${bare}.txt`,
    `/RSC/F/${actionHeader}.txt`,
    `/RSC/_F/${actionHeader}.txt`,
  ];
}

const navigation = ['Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Site: none'];

/** Whether the answer is empty, a refusal in its one shape, or the login page. */
function isForStrangers(status: number, head: string, body: string): boolean {
  if (body.includes(canary)) return false;
  if (status === 303) return /\r\nlocation: \/login(?:\?next=%2F[^\r]*)?\r\n/i.test(`${head}\r\n`) && body === '';
  if (status === 200) return body.includes('<title>Sign in · Flight Recorder</title>'.replace('·', '\u00c2\u00b7'));
  if (status === 404) return body.startsWith('{"error":');
  if (status < 400 || status >= 500) return false;
  return body === '' || /^\{"error":\{"code":"[\w-]+","message":"[^"]+"\}\}\n$/.test(body) || body.includes('not sent');
}

describe('without a session', () => {
  test('no spelling and no transport of any page shows anything of it', async () => {
    const pages = listPages();
    expect(pages).toEqual(
      expect.arrayContaining(['/', '/runtime', `/digest/${shownDigest}`, '/lab/prefetch/3', '/lab/flaky']),
    );
    const told: string[] = [];
    for (const page of pages) {
      for (const target of spell(page)) {
        for (const headers of [navigation, [], ['Accept: text/x-component', 'Sec-Fetch-Mode: cors']]) {
          const { status, head, body } = await send({ target, headers });
          if (isForStrangers(status, head, body)) continue;
          told.push(`${status} ${target} ${headers.join(', ')}\n${body.slice(0, 300)}`);
        }
      }
    }
    expect(told).toEqual([]);
  }, 300_000);

  test('the same pages are there for somebody who is signed in, with the recorded message', async () => {
    for (const target of ['/', '/RSC/R/_root.txt', `/digest/${shownDigest}`, `/RSC/R/digest/${shownDigest}.txt`]) {
      const { status, body } = await send(signedIn({ target, headers: navigation }));
      expect([status, body.includes(canary)], target).toEqual([200, true]);
    }
  });

  test('neither does any other method, nor a header of the framework', async () => {
    const told: string[] = [];
    for (const target of ['/', '/runtime', `/digest/${shownDigest}`, '/RSC/R/_root.txt', '/login', '/favicon.svg']) {
      for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        for (const extra of [
          [],
          ['X-Waku-Action-Location: /'],
          ['X-Flight-Prefetch: 1'],
          ['X-HTTP-Method-Override: GET'],
        ]) {
          const headers = [...navigation, `Origin: ${server.origin}`, ...extra];
          const { status, head, body } = await send({
            method,
            target,
            headers,
            ...(method === 'HEAD' ? {} : { body: '' }),
          });
          const isPublic = method === 'HEAD' && (target === '/login' || target === '/favicon.svg');
          const isFine = isPublic ? status === 200 && body === '' : isForStrangers(status, head, body);
          if (!isFine) told.push(`${status} ${method} ${target} ${extra.join()}\n${body.slice(0, 300)}`);
        }
      }
    }
    expect(told).toEqual([]);
  });
});

describe('with a token of the API', () => {
  test('the API answers, with the recorded message', async () => {
    const { status, body } = await send(withToken({ target: `/api/v1/errors/${shownDigest}` }));
    expect([status, body.includes(canary)]).toEqual([200, true]);
  });

  test('no spelling and no transport of any page shows more than to a stranger', async () => {
    const told: string[] = [];
    for (const page of listPages()) {
      for (const target of spell(page)) {
        const { status, head, body } = await send(withToken({ target, headers: navigation }));
        if (!isForStrangers(status, head, body)) told.push(`${status} ${target}\n${body.slice(0, 300)}`);
      }
    }
    expect(told).toEqual([]);
  }, 300_000);

  test('no POST, and no other method, is carried out or reaches the decoder', async () => {
    const told: string[] = [];
    const targets = [
      '/',
      '/operator',
      '/faults',
      '/lab/actions?key=access',
      `/RSC/F/${actionHeader}.txt`,
      '/api/v1',
      '/api/v1/faults',
      `/api/v1/errors/${shownDigest}`,
    ];
    const decodes = await countDecodes(async () => {
      for (const target of targets) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          for (const { type, body: sent } of listBodies()) {
            const headers = toHeaders(server.origin, type, `x-flight-action: ${actionHeader}`);
            const { status, head, body } = await send(withToken({ method, target, body: sent, headers }));
            const isTooMany = status === 429 && target.startsWith('/api/v1');
            if (!isTooMany && !isForStrangers(status, head, body)) told.push(`${status} ${method} ${target} ${type}`);
          }
        }
      }
    });
    expect([told, decodes]).toEqual([[], 0]);
  }, 120_000);

  test('nobody is signed in: a token is no login link and no password', async () => {
    for (const body of [`code=${token}`, `code=${token.slice(-43)}`, `password=${token}`]) {
      const headers = toHeaders(server.origin, 'application/x-www-form-urlencoded');
      const { head } = await send({ method: 'POST', target: '/login', body, headers });
      expect(head).not.toMatch(/set-cookie: [^\r]*=[^;\r]/i);
    }
  });
});

type Body = { readonly type: string | undefined; readonly body: string };

function listBodies(): Body[] {
  function toMultipart(entries: readonly (readonly [string, string])[]): string {
    const parts = entries.map(
      ([name, value]) => `--frontier\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    return `${parts.join('')}--frontier--\r\n`;
  }
  const fields = toMultipart([[`$ACTION_ID_${actionField}`, '']]);
  const bound = toMultipart(boundFields);
  return [
    { type: 'multipart/form-data; boundary=frontier', body: fields },
    { type: 'multipart/form-data; boundary=frontier', body: bound },
    { type: 'Multipart/Form-Data; boundary="frontier"', body: fields },
    { type: 'application/x-www-form-urlencoded', body: `$ACTION_ID_${actionField}=` },
    { type: 'text/plain;charset=UTF-8', body: '["access",5]' },
    { type: 'application/json', body: '["access",5]' },
    { type: 'text/x-component', body: '["access",5]' },
    { type: undefined, body: '["access",5]' },
  ];
}

function toHeaders(origin: string | undefined, type: string | undefined, ...more: readonly string[]): string[] {
  return [...(origin ? [`Origin: ${origin}`] : []), ...(type ? [`Content-Type: ${type}`] : []), ...more];
}

describe('the Flight decoder', () => {
  test('is entered by the calls and the forms of somebody who is signed in', async () => {
    const target = '/lab/actions?key=access';
    const [form, bound] = listBodies();
    if (!form || !bound) throw new Error('no bodies');
    const call = { method: 'POST', target, body: '["access",5]' };
    const headers = toHeaders(server.origin, 'text/plain;charset=UTF-8', `x-flight-action: ${actionHeader}`);
    expect(await countDecodes(() => send(signedIn({ ...call, headers })))).toBeGreaterThan(0);
    for (const { type, body } of [form, bound]) {
      const sent = { method: 'POST', target, body, headers: toHeaders(server.origin, type) };
      expect(await countDecodes(() => send(signedIn(sent)))).toBeGreaterThan(0);
    }
  });

  test('is never entered for a stranger: method × content type × path × header', async () => {
    const targets = [
      '/',
      '/login',
      '/logout',
      '/lab/actions?key=access',
      '/lab/flaky',
      '/no-such-page',
      '/assets/x.js',
      '/favicon.svg',
      '/healthz',
      '/readyz',
      '/tunnel',
      '/csp-report',
      '/RSC/R/_root.txt',
      '/RSC/R/login.txt',
      '/RSC/R/lab/actions.txt',
      `/RSC/F/${actionHeader}.txt`,
      `/RSC/_F/${actionHeader}.txt`,
      '/RSC/S/x.txt',
    ];
    const statuses = new Set<number>();
    let requests = 0;
    const decodes = await countDecodes(async () => {
      for (const target of targets) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET']) {
          for (const { type, body } of listBodies()) {
            for (const more of [[], [`x-flight-action: ${actionHeader}`], ['X-Waku-Action-Location: /']]) {
              const sent = await send({ method, target, body, headers: toHeaders(server.origin, type, ...more) });
              statuses.add(sent.status);
              requests += 1;
            }
          }
        }
      }
    });
    expect({ requests, decodes }).toEqual({ requests: targets.length * 6 * 8 * 3, decodes: 0 });
    expect([...statuses].filter((status) => status >= 500 || status === 0)).toEqual([]);
  }, 300_000);

  test('is never entered from another origin, whoever is signed in: Origin × Sec-Fetch-Site × body', async () => {
    const port = server.port;
    const origins: readonly (readonly [origin: string | undefined, isOwn: boolean])[] = [
      [server.origin, true],
      [undefined, true],
      ['null', false],
      [`http://127.0.0.1:${port + 1}`, false],
      [`http://127.0.0.1`, false],
      [`https://127.0.0.1:${port}`, false],
      [`http://localhost:${port}`, false],
      [`http://127.0.0.1:${port}.evil.example`, false],
      [`http://evil-127.0.0.1:${port}`, false],
      [`http://127.0.0.1:${port}/`, false],
      [`http://127.0.0.1:${port}@evil.example`, false],
      ['https://evil.example', false],
    ];
    const sites = ['same-origin', 'none', undefined, 'same-site', 'cross-site', 'nonsense'];
    const wrong: string[] = [];
    const [form] = listBodies();
    const kinds = [
      { type: 'text/plain;charset=UTF-8', body: '["access",5]', more: [`x-flight-action: ${actionHeader}`] },
      { type: form?.type, body: form?.body ?? '', more: [] },
    ];
    for (const [origin, isOwn] of origins) {
      for (const site of sites) {
        for (const { type, body, more } of kinds) {
          const headers = toHeaders(origin, type, ...more, ...(site ? [`Sec-Fetch-Site: ${site}`] : []));
          const isOwnSite = site === 'same-origin' || site === 'none';
          // A request without an origin must at least say that it comes from the same site.
          const mayAct = isOwn && (isOwnSite || (site === undefined && origin !== undefined));
          let status = 0;
          const decodes = await countDecodes(async () => {
            const sent = signedIn({ method: 'POST', target: '/lab/actions?key=access', body, headers });
            ({ status } = await send(sent));
          });
          const isRight = mayAct ? status === 200 && decodes > 0 : status === 403 && decodes === 0;
          if (!isRight) wrong.push(`${origin} ${site} ${type}: ${status}, ${decodes} decodes`);
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  test('neither can another origin sign anybody in or out', async () => {
    const urlencoded = 'application/x-www-form-urlencoded';
    for (const origin of ['null', 'https://evil.example', `http://localhost:${server.port}`, undefined]) {
      for (const target of ['/login', '/logout']) {
        const headers = toHeaders(origin, urlencoded, 'Sec-Fetch-Site: cross-site');
        const { status, head } = await send(signedIn({ method: 'POST', target, headers, body: 'code=x' }));
        expect([status, /set-cookie/i.test(head)], `${origin} ${target}`).toEqual([403, false]);
      }
    }
    expect((await send(signedIn({ target: '/runtime' }))).status).toBe(200);
  });
});
