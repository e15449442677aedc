import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from 'vitest';

import { formatBytes } from '#flight';

import { readCheckArguments } from './check-arguments.ts';
import { describeRoute, listProblems } from './describe-check.ts';
import { checkSite, type SiteCheck } from './check-site.ts';
import { printCheck } from './print-check.ts';
import { maxRequests } from './visit-site.ts';
import { writeCheckJson, writeHtml, writeMarkdown } from './write-check.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handle: Handle): Promise<URL> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return new URL(`http://127.0.0.1:${address.port}/`);
}

function readFixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, '../../../flight/fixtures/next-16.4.6-cache-components', name));
}

const nextPage = readFixture('blog-html.bin');
const nextPayload = readFixture('about.rsc');

type Headers = Readonly<Record<string, string>>;

function sendPage(response: ServerResponse, html: string | Buffer, headers: Headers = {}): void {
  response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip', ...headers }).end(gzipSync(html));
}

function sendPayload(response: ServerResponse, headers: Headers = {}): void {
  const own = { 'content-type': 'text/x-component', 'content-encoding': 'gzip', ...headers };
  response.writeHead(200, own).end(gzipSync(nextPayload));
}

/** What is no page of the site: a 404 for all but `pages`. */
function isNone({ url = '' }: IncomingMessage): boolean {
  return url === '/robots.txt' || url.includes('no-such-page');
}

function check(address: URL, more: Partial<Parameters<typeof checkSite>[0]> = {}): Promise<SiteCheck> {
  return checkSite({ address, routes: [], headers: [], obeysRobots: true, judgeVersions: () => [], ...more }, () => {});
}

function listKinds({ findings }: SiteCheck): string[] {
  return findings.map(({ severity, kind }) => `${severity} ${kind}`);
}

/** A Next.js site without anything to find: a page, its payload, a 404. */
function answerNext(request: IncomingMessage, response: ServerResponse, headers: Headers = {}): void {
  if (isNone(request)) response.writeHead(404).end();
  else if (request.headers['rsc'] === '1') sendPayload(response, headers);
  else sendPage(response, nextPage, headers);
}

it('asks for each page as a document, a navigation and a prefetch, and measures what came', async () => {
  const asked: string[] = [];
  const site = await serve((request, response) => {
    const { rsc, 'next-router-prefetch': prefetch } = request.headers;
    asked.push([request.url?.split('?')[0], rsc && 'rsc', prefetch && 'prefetch'].filter(Boolean).join(' '));
    answerNext(request, response);
  });
  const found = await check(site, { routes: ['/about'] });
  expect(asked.filter((one) => !/\.js|no-such/.test(one))).toEqual([
    '/robots.txt',
    '/',
    '/ rsc',
    '/ rsc prefetch',
    '/about',
    '/about rsc',
    '/about rsc prefetch',
  ]);
  expect(found.framework).toBe('next');
  expect(found.requests).toBe(asked.length);
  expect(
    found.routes.map(({ path: at, document, navigation }) => [
      at,
      document.transferred,
      navigation?.answer.transferred,
    ]),
  ).toEqual(['/', '/about'].map((at) => [at, gzipSync(nextPage).length, gzipSync(nextPayload).length]));
  expect(listKinds(found).filter((kind) => /high|medium/.test(kind))).toEqual([]);
});

it.each(['', '/store'])(
  'says what a visit prefetches: not the page itself, and no link that says it is not, below “%s”',
  async (base) => {
    const links = [base || '/', `${base}/a`, `${base}/b`, `${base}/c`]
      .map((href) => `<a href="${href}">${href}</a>`)
      .join('');
    const html = nextPage.toString().replaceAll('<a ', '<b ').replace('</body>', `${links}</body>`);
    const elements = ['/a', '/b'].map((href) => ['$', 'a', href, { href, prefetch: href === '/b' }]);
    const payload = `0:${JSON.stringify({ b: 'x', f: [], children: elements })}\n`;
    const whole = `${payload}1:"${'x'.repeat(20_000)}"\n`;
    const trees: unknown[] = [];
    const site = await serve((request, response) => {
      if (isNone(request)) return void response.writeHead(404).end();
      if (request.headers['rsc'] !== '1') return sendPage(response, html);
      if (request.url?.startsWith(`${base || '/'}?`)) trees.push(request.headers['next-router-state-tree']);
      const body = request.headers['next-router-prefetch'] === undefined ? whole : payload;
      response.writeHead(200, { 'content-type': 'text/x-component' }).end(body);
    });
    const found = (await check(new URL(base, site))).findings.find(({ kind }) => kind === 'prefetching');
    expect(found?.title).toMatch(
      new RegExp(`^A visit to ${base || '/'} may prefetch 2 pages: .* for the \\d that were asked`),
    );
    // Of each folder below `/store` two are asked, and one of those is the page itself.
    expect(found?.title).toContain(formatBytes(whole.length + (base === '' ? payload.length : 0)));
    // A visitor who is at `/` would get nothing of it.
    expect(trees).toHaveLength(2);
    for (const tree of trees) expect(decodeURIComponent(String(tree))).not.toContain('["",{"children":["__PAGE__"');
  },
);

it('asks for no prefetch where the framework prefetches with the request of a navigation, and says so', async () => {
  const folder = path.join(import.meta.dirname, '../../../flight/fixtures/react-router-8-production');
  const [page, payload] = ['home-html.bin', 'home.rsc'].map((name) => readFileSync(path.join(folder, name)));
  if (!page || !payload) throw new Error('no fixture');
  const site = await serve((request, response) => {
    if (isNone(request)) response.writeHead(404).end();
    else if (request.url?.endsWith('.rsc')) {
      response.writeHead(200, { 'content-type': 'text/x-component' }).end(payload);
    } else sendPage(response, page);
  });
  const { routes } = await check(site);
  const [home] = routes;
  if (!home) throw new Error('no page');
  expect(describeRoute(home)).toMatchObject({ prefetch: 'as the navigation' });
  expect(describeRoute({ ...home, navigation: undefined })).toMatchObject({ prefetch: 'unknown' });
});

describe('how it behaves', () => {
  const links = Array.from({ length: 60 }, (_, at) => `<a href="/page-${at}">x</a>`).join('');

  it('finds pages from the first, of each folder two, none of another site', async () => {
    const html = `<a href="/a">a</a><a href="/shop/1">1</a><a href="/shop/2">2</a><a href="/shop/3">3</a><a href="https://elsewhere.example/">x</a><a href="/a#part">a</a><a href="/file.pdf">f</a>`;
    const site = await serve((request, response) => {
      if (isNone(request)) response.writeHead(404).end();
      else sendPage(response, html);
    });
    const { routes } = await check(site);
    expect(routes.map((route) => route.path)).toEqual(['/', '/a', '/shop/1', '/shop/2']);
  });

  it('asks no more than it promises, and each redirect counts', async () => {
    let asked = 0;
    const site = await serve((request, response) => {
      asked += 1;
      const { url = '' } = request;
      if (isNone(request)) response.writeHead(404).end();
      else if (url.length > 1 && !url.endsWith('++++')) response.writeHead(302, { location: `${url}+` }).end();
      else sendPage(response, links);
    });
    const found = await check(site);
    expect(asked).toBe(maxRequests);
    expect(found.requests).toBe(maxRequests);
    expect(found.failed.at(-1)?.reason).toContain('are used up');
  });

  it('obeys robots.txt unless it is told otherwise, and says who it is', async () => {
    const agents = new Set<string | undefined>();
    const asked = new Set<string | undefined>();
    const site = await serve((request, response) => {
      agents.add(request.headers['user-agent']);
      asked.add(request.url);
      if (request.url === '/robots.txt') response.end('User-agent: flight-recorder-check\nDisallow: /secret\n');
      else if (isNone(request)) response.writeHead(404).end();
      else sendPage(response, '<a href="/secret">s</a><a href="/open">o</a>');
    });
    const obeying = await check(site);
    expect(obeying.forbidden).toEqual(['/secret']);
    expect(asked.has('/secret')).toBe(false);
    expect(obeying.routes.map((route) => route.path)).toEqual(['/', '/open']);
    expect([...agents]).toEqual([expect.stringContaining('flight-recorder-check')]);
    await check(site, { obeysRobots: false });
    expect(asked.has('/secret')).toBe(true);
  });

  it('looks once at a page that many lead to, as to a login', async () => {
    const site = await serve((request, response) => {
      if (isNone(request)) response.writeHead(404).end();
      else if (request.url === '/login') sendPage(response, '<a href="/a">a</a><a href="/b">b</a>');
      else response.writeHead(302, { location: '/login' }).end();
    });
    const found = await check(site);
    expect(found.routes.map((route) => route.path)).toEqual(['/login']);
    expect(listProblems(found)).toEqual(['/a, /b: it leads to /login, which is a page above']);
  });

  it('does not follow a redirect to another site', async () => {
    const other = await serve((_, response) => response.end('other'));
    const site = await serve((request, response) => {
      if (isNone(request)) response.writeHead(404).end();
      else response.writeHead(302, { location: other.href }).end();
    });
    const found = await check(site, { headers: [['Cookie', 'secret=1']] });
    expect(found.routes).toEqual([]);
    expect(found.failed).toEqual([{ path: '/', reason: expect.stringContaining('which is another site') }]);
  });
});

describe('finds', () => {
  const isPublic = 'public, max-age=60';

  it.each<[string, Headers, string[]]>([
    ['nothing where caches may keep nothing', { 'cache-control': 'private, max-age=60' }, []],
    ['nothing where caches may keep it, at an address of its own', { 'cache-control': isPublic, vary: 'rsc' }, []],
    [
      'a cookie that caches give to others',
      { 'cache-control': isPublic, 'set-cookie': 'sid=abc; Path=/' },
      ['high cache-cookie'],
    ],
    ['none that they do not', { 'cache-control': 'no-store', 'set-cookie': 'sid=abc' }, []],
    [
      'one that a CDN would, whatever browsers are told',
      { 'cache-control': 'private', 'cdn-cache-control': 's-maxage=9', 'set-cookie': 'sid=abc' },
      ['high cache-cookie'],
    ],
  ])('%s', async (_, headers, kinds) => {
    const site = await serve((request, response) => answerNext(request, response, headers));
    const found = await check(site);
    expect(listKinds(found).filter((kind) => kind.includes('cache-'))).toEqual(kinds);
    expect(writeCheckJson(found)).not.toContain('abc');
  });

  it.each<[string, string, string[]]>([
    ['Vary names all', 'rsc, next-router-state-tree, next-router-prefetch', ['medium cache-vary-alone']],
    ['Vary leaves one out', 'rsc', ['high cache-mixes']],
  ])('a page and a payload at one address: %s', async (_, vary, kinds) => {
    const site = await serve((request, response) => {
      // As Next.js 14 does: it takes the query off.
      if (request.url?.includes('_rsc=')) response.writeHead(307, { location: '/' }).end();
      else answerNext(request, response, { vary, 'cache-control': isPublic });
    });
    expect(listKinds(await check(site)).filter((kind) => kind.includes('cache-'))).toEqual(kinds);
  });

  it('Flight where a page was asked for', async () => {
    const site = await serve((request, response) =>
      isNone(request) ? response.writeHead(404).end() : sendPayload(response),
    );
    expect(listKinds(await check(site))).toContain('high flight-as-page');
  });

  it('answers without compression', async () => {
    const site = await serve((request, response) => {
      if (isNone(request)) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${'long '.repeat(400)}`);
    });
    expect(listKinds(await check(site))).toEqual(['medium uncompressed']);
  });

  it('error pages that give something away, and pages that are there for every address', async () => {
    const site = await serve(({ url }, response) => {
      const welcome = '<script src="/_next/static/chunks/app/layout.js"></script><script src="/app/a.js"></script>';
      const stack = 'Error: x\n    at Page (/app/src/page.js:3:9)';
      if (url === '/robots.txt') response.writeHead(404).end();
      else if (url === '/') sendPage(response, '<a href="/broken">b</a>');
      else if (url === '/broken') response.writeHead(500, { 'content-type': 'text/html' }).end(`<pre>${stack}</pre>`);
      else sendPage(response, welcome);
    });
    expect(listKinds(await check(site))).toEqual(['high failed-page', 'high error-leak', 'medium missing-page']);
  });

  it('places in the server’s files, of any system', async () => {
    for (const place of ['/home/jane/shop/page.js:3', String.raw`C:\sites\shop\page.tsx:12`]) {
      const site = await serve((request, response) => {
        if (request.url === '/robots.txt') response.writeHead(404).end();
        else response.writeHead(isNone(request) ? 404 : 200, { 'content-type': 'text/html' }).end(`in ${place}`);
      });
      expect(listKinds(await check(site)), place).toEqual(['high error-leak']);
    }
  });

  it.each([
    '<script src="/s/a.js"></script>',
    '<link rel="modulepreload" href="/s/a.js"><a href="/s">s</a>',
    '<script id="_R_">import("/s/a.js")</script>',
    '<script type="module">import "/s/a.js"; import "https://elsewhere.example/s/a.js"</script>',
  ])('versions in scripts, and source maps that everybody can read: %s', async (page) => {
    const script =
      'window.next={version:"16.4.6"};x={version:"19.3.1",rendererPackageName:"react-dom"}\n//# sourceMappingURL=a.js.map';
    const site = await serve((request, response) => {
      if (request.url === '/s/a.js') response.end(script);
      else if (request.url === '/s/a.js.map') response.end('{"version":3,"sources":[],"mappings":""}');
      else if (isNone(request)) response.writeHead(404).end();
      else sendPage(response, page);
    });
    const advised: string[] = [];
    const found = await check(site, {
      judgeVersions(versions) {
        advised.push(...versions.values());
        return [];
      },
    });
    expect([...found.versions]).toEqual([
      ['Next.js', '16.4.6'],
      ['React', '19.3.1'],
    ]);
    expect(advised).toEqual(['16.4.6', '19.3.1']);
    expect(found.findings).toEqual([expect.objectContaining({ kind: 'public-source-map', paths: ['/s/a.js.map'] })]);
  });
});

describe('the report', () => {
  const hostile = '<img src=x onerror=alert(1)>|`[a](javascript:b)';

  async function checkHostile(): Promise<SiteCheck> {
    const site = await serve((request, response) => {
      if (isNone(request)) response.writeHead(404).end();
      else sendPage(response, 'x', { 'cache-control': 's-maxage=60', 'set-cookie': `${hostile}=secret-value` });
    });
    return check(site);
  }

  it('says the same in every form, and shows what a site says as text', async () => {
    const found = await checkHostile();
    const text = [...printCheck(found, (_style, part) => part)].join('');
    const [html, markdown, json] = [writeHtml(found), writeMarkdown(found), writeCheckJson(found)];
    for (const form of [text, html, markdown, json]) {
      expect(form).toContain('caches may keep for everybody');
      expect(form).not.toContain('secret-value');
    }
    expect(html).not.toContain('<img');
    expect(markdown).not.toMatch(/(?<!\\)<img|\]\(javascript/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(JSON.parse(json)).toMatchObject({ requests: 3, findings: [{ severity: 'high', kind: 'cache-cookie' }] });
  });
});

describe('its arguments', () => {
  it.each([
    [[], 'no address is named'],
    [['shop.example'], 'is no URL of http or https'],
    [['http://a', 'http://b'], 'more than one address is named'],
    [['--fail-on', 'note', 'http://a'], '--fail-on needs'],
    [['--json', '--markdown', 'http://a'], 'choose one'],
    [['--routes', 'cart', 'http://a'], 'begin with a slash'],
    [['--routes', '//b/', 'http://a'], 'begin with a slash'],
    [['--routes', '//[', 'http://a'], 'begin with a slash'],
    [['-H', 'x', 'http://a'], '--header needs'],
    [['--wrong', 'http://a'], '--wrong'],
  ])('%j: %s', (words, reason) => {
    expect(readCheckArguments(words)).toEqual({ kind: 'wrong', reason: expect.stringContaining(reason) });
  });

  it('reads them', () => {
    expect(
      readCheckArguments(['--routes', '/,/cart', '--fail-on=never', '--html', 'r.html', 'http://a/']),
    ).toMatchObject({
      kind: 'check',
      routes: ['/', '/cart'],
      failOn: undefined,
      html: 'r.html',
      format: 'text',
      obeysRobots: true,
    });
  });
});
