import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ensureApp, type App } from '#src/apps/apps.ts';
import { deleteApp } from '#src/apps/delete-app.ts';
import { readRefusals, writeRefusals } from '#src/apps/refusals.ts';
import { endMapThread } from '#src/faults/source-maps/ask-maps.ts';
import { resolveAppFrames } from '#src/faults/source-maps/resolve-app-frames.ts';
import { callAt, packBundle, sha1, throwAt } from '#src/faults/source-maps/thread/testing/pack-map.ts';
import { makeToken, readTokens, revokeToken } from '#src/access/tokens.ts';
import { openStore } from '#src/store/open-store.ts';

import { sourceMaps, isUploadPath } from './source-maps.ts';

const debugId = 'dfdad0f3-a5b7-5105-9f5f-2ff1dd00b74d';
const chunkBytes = 512 * 1024;

let folder: string;
let server: Hono;
let shop: App;
let uploadToken: string;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-source-maps-'));
  process.env['FLIGHT_DATA'] = folder;
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  shop = await ensureApp('shop');
  uploadToken = await makeUploadToken('shop');
  server = new Hono();
  server.use(sourceMaps());
  server.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(async () => {
  endMapThread();
  await writeRefusals();
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

async function makeUploadToken(app: string): Promise<string> {
  const asked = { name: 'CI', allows: 'upload', apps: [app], days: 1 } as const;
  const made = await makeToken(await openStore(), asked);
  if (made.type === 'refused') throw new Error(made.problem);
  return made.secret;
}

type Sent = { readonly method?: string; readonly key?: string; readonly body?: string | FormData };

async function ask(target: string, { method = 'POST', key = uploadToken, body }: Sent = {}): Promise<Response> {
  const sent = new Response(body);
  const bytes = await sent.arrayBuffer();
  const headers = {
    authorization: `Bearer ${key}`,
    'content-length': String(bytes.byteLength),
    'content-type': typeof body === 'string' ? 'application/json' : (sent.headers.get('content-type') ?? ''),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: bytes }) };
  return await server.request(`/api/0/organizations/any/${target}`, init);
}

function formOf(chunks: readonly Uint8Array<ArrayBuffer>[], name?: string): FormData {
  const form = new FormData();
  for (const chunk of chunks) form.append('file', new Blob([chunk]), name ?? sha1(chunk));
  return form;
}

type Bundle = { readonly checksum: string; readonly chunks: readonly string[]; readonly version?: string };

async function assemble(bundle: Bundle, key?: string): Promise<unknown> {
  const body = JSON.stringify({ ...bundle, projects: ['whatever'] });
  const response = await ask('artifactbundle/assemble/', { body, ...(key === undefined ? {} : { key }) });
  return await response.json();
}

/** As the CLI does it. */
async function upload(
  bytes: Buffer,
  { version, key = uploadToken }: { version?: string; key?: string } = {},
): Promise<unknown> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    chunks.push(Uint8Array.from(bytes.subarray(at, at + chunkBytes)));
  }
  const bundle = { checksum: sha1(bytes), chunks: chunks.map(sha1), ...(version === undefined ? {} : { version }) };
  expect(await assemble(bundle, key)).toEqual({ state: 'not_found', missingChunks: bundle.chunks });
  for (const chunk of chunks) expect((await ask('chunk-upload/', { body: formOf([chunk]), key })).status).toBe(200);
  return await assemble(bundle, key);
}

const frames = [
  { fn: 'a', file: 'https://shop.example/static/app.min.js', ...throwAt },
  { fn: '', file: 'https://shop.example/static/app.min.js', ...callAt },
];
const resolved = [
  expect.objectContaining({ fn: 'fail', source: 'src/app.ts', line: 2, column: 3, inApp: true }),
  expect.objectContaining({ fn: '', source: 'src/app.ts', line: 4, column: 1, inApp: true }),
];

async function readRows(): Promise<readonly string[]> {
  const { db } = await openStore();
  const rows = await db.selectFrom('map_file').select(['app', 'url']).orderBy('url').execute();
  return rows.map(({ app, url }) => `${app} ${url}`);
}

describe('uploading', () => {
  it('says how to upload', async () => {
    const response = await ask('chunk-upload/', { method: 'GET' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      url: 'organizations/any/chunk-upload/',
      chunkSize: chunkBytes,
      chunksPerRequest: 1,
      maxFileSize: 64 * 1024 * 1024,
      maxRequestSize: chunkBytes,
      concurrency: 2,
      hashAlgorithm: 'sha1',
      compression: [],
      accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2'],
    });
  });

  it('takes a bundle of several chunks, once, and leaves no chunk', async () => {
    const filler = {
      name: 'files/big.bin',
      content: Buffer.from(Array.from({ length: 700_000 }, () => Math.random() * 256)),
    };
    const bundle = packBundle([{ url: '~/static/app.min.js', debugId }], [filler]);
    expect(bundle.length).toBeGreaterThan(chunkBytes);
    expect(await upload(bundle, { version: '1.2.3' })).toEqual({ state: 'ok', missingChunks: [] });
    expect(await readRows()).toEqual(['shop ~/static/app.min.js']);
    expect(readdirSync(path.join(folder, 'source-maps/shop/chunks'))).toEqual([]);
    const again = { checksum: sha1(bundle), chunks: ['a'.repeat(40)], version: '1.2.3' };
    expect(await assemble(again)).toEqual({ state: 'ok', missingChunks: [] });
    expect(lines).toMatchObject([{ event: 'source-maps-stored', app: 'shop', release: '1.2.3', maps: 1, skipped: 0 }]);
  });

  it('says what is wrong with a bundle, each time it is asked', async () => {
    const bundle = Buffer.from('no archive '.repeat(30));
    const told = { state: 'error', missingChunks: [], detail: 'this is not a ZIP archive' };
    expect(await upload(bundle)).toEqual(told);
    expect(await assemble({ checksum: sha1(bundle), chunks: [sha1(bundle)] })).toEqual(told);
    expect(await readRows()).toEqual([]);
  });

  it('resolves by debug id, and by release and address', async () => {
    await upload(packBundle([{ url: '~/static/app.min.js', debugId }]), { version: '1.2.3' });
    const elsewhere = frames.map((frame) => ({ ...frame, file: '/srv/other.js', debugId: debugId.toUpperCase() }));
    expect(await resolveAppFrames('shop', '', elsewhere)).toEqual(resolved);
    expect(await resolveAppFrames('shop', '1.2.3', frames)).toEqual(resolved);
    await upload(packBundle([{ url: '~/static/other.js' }]), { version: '1.2.4' });
    const unresolved = frames.map((frame) => ({ ...frame, inApp: true }));
    expect(await resolveAppFrames('shop', '1.2.4', frames)).toEqual(unresolved);
    expect(await resolveAppFrames('shop', '', frames)).toEqual(unresolved);
  });

  it('keeps what one app uploads from another', async () => {
    const other = await ensureApp('other');
    await upload(packBundle([{ url: '~/static/app.min.js', debugId }]), { version: '1.2.3' });
    const asked = frames.map((frame) => ({ ...frame, debugId }));
    expect(await resolveAppFrames('other', '1.2.3', asked)).toEqual(asked.map((frame) => ({ ...frame, inApp: true })));
    expect(
      await upload(packBundle([{ url: '~/static/app.min.js', debugId }]), {
        version: '1.2.3',
        key: await makeUploadToken(other.id),
      }),
    ).toEqual({
      state: 'ok',
      missingChunks: [],
    });
    expect(await resolveAppFrames('other', '1.2.3', asked)).toEqual(resolved);
  });

  it('is deleted with the app', async () => {
    await upload(packBundle([{ url: '~/static/app.min.js', debugId }]), { version: '1.2.3' });
    const done = Promise.withResolvers<void>();
    await deleteApp(
      'shop',
      async () => undefined,
      (running) => void running.then(done.resolve),
    );
    await done.promise;
    expect(await readRows()).toEqual([]);
    expect(readdirSync(path.join(folder, 'source-maps'))).toEqual([]);
  });
});

describe('naming a release', () => {
  it.each(['organizations/any', 'projects/any/shop'])('%s: it is heard of once', async (of) => {
    const headers = { authorization: `Bearer ${uploadToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ version: 'shop@1.0', projects: ['shop'] });
    const named = await server.request(`/api/0/${of}/releases/`, { method: 'POST', headers, body });
    expect([named.status, await named.json()]).toEqual([
      201,
      { version: 'shop@1.0', projects: [{ slug: 'shop', name: 'shop' }], dateCreated: expect.any(String) },
    ]);
    const { db } = await openStore();
    const releases = db.selectFrom('app_release').select(['app', 'side', 'name', 'first_time']);
    const before = await releases.execute();
    expect(before).toEqual([{ app: 'shop', side: 'server', name: 'shop@1.0', first_time: expect.any(Number) }]);
    const completed = await server.request(`/api/0/${of}/releases/shop%401.0/`, { method: 'PUT', headers, body: '{}' });
    expect(completed.status).toBe(200);
    expect(await releases.execute()).toEqual(before);
  });
});

it('tells whoever asks that the address and the token are right', async () => {
  const headers = { authorization: `Bearer ${uploadToken}` };
  const response = await server.request('/api/0/', { headers });
  expect([response.status, await response.json()]).toEqual([
    200,
    { version: '0', user: null, auth: { scopes: ['project:releases'] } },
  ]);
});

describe('refusing', () => {
  const chunk = Uint8Array.from(Buffer.from('a chunk'));

  it.each([
    ['a wrong key', 'chunk-upload/', { method: 'GET', key: 'f'.repeat(32) }, 401],
    ['no key', 'chunk-upload/', { method: 'GET', key: '' }, 401],
    ['another address of this API', 'releases/1.2.3/deploys/', { body: '{}' }, 404],
    ['a release without a name', 'releases/', { body: '{}' }, 400],
    ['a release whose name is blank', 'releases/', { body: '{"version":" "}' }, 400],
    ['a release whose name cannot be decoded', 'releases/%ff/', { method: 'PUT', body: '{}' }, 400],
    ['a release that is posted by its name', 'releases/1.2.3/', { body: '{}' }, 405],
    ['another method', 'artifactbundle/assemble/', { method: 'GET' }, 405],
    ['a chunk that is no form', 'chunk-upload/', { body: '{}' }, 415],
    ['a form without a chunk', 'chunk-upload/', { body: new FormData() }, 400],
    ['a chunk whose name is a path', 'chunk-upload/', { body: formOf([chunk], '../../../etc/cron.d/x') }, 400],
    ['a chunk with another checksum', 'chunk-upload/', { body: formOf([chunk], 'a'.repeat(40)) }, 400],
    ['a chunk that is too large', 'chunk-upload/', { body: formOf([new Uint8Array(chunkBytes + 20_000)]) }, 413],
    ['a bundle that is no JSON', 'artifactbundle/assemble/', { body: '{' }, 400],
    [
      'a bundle without a checksum',
      'artifactbundle/assemble/',
      { body: JSON.stringify({ chunks: ['a'.repeat(40)] }) },
      400,
    ],
    [
      'a bundle without chunks',
      'artifactbundle/assemble/',
      { body: JSON.stringify({ checksum: 'a'.repeat(40), chunks: [] }) },
      400,
    ],
    [
      'a bundle whose chunks are paths',
      'artifactbundle/assemble/',
      { body: JSON.stringify({ checksum: 'a'.repeat(40), chunks: ['../../age.json'] }) },
      400,
    ],
    [
      'a bundle with too many chunks',
      'artifactbundle/assemble/',
      { body: JSON.stringify({ checksum: 'a'.repeat(40), chunks: Array.from({ length: 129 }, () => 'a'.repeat(40)) }) },
      400,
    ],
    [
      'a release with a long name',
      'artifactbundle/assemble/',
      { body: JSON.stringify({ checksum: 'a'.repeat(40), chunks: ['a'.repeat(40)], version: 'v'.repeat(251) }) },
      400,
    ],
  ])('%s', async (_, target, sent, status) => {
    const response = await ask(target, sent);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { code: expect.any(String), message: expect.any(String) },
      detail: expect.any(String),
    });
    expect(lines).toMatchObject([{ event: 'request-refused', status }]);
    const known = status === 401 ? [] : [{ endpoint: 'source-maps', count: 1 }];
    expect(await readRefusals('shop')).toMatchObject(known);
  });

  it('counts requests for each app', async () => {
    const other = await ensureApp('other');
    let status = 200;
    let taken = 0;
    for (; status === 200 && taken < 1_000; taken += 1) ({ status } = await ask('chunk-upload/', { method: 'GET' }));
    expect(status).toBe(429);
    expect(taken).toBeGreaterThan(300);
    expect((await ask('chunk-upload/', { method: 'GET', key: await makeUploadToken(other.id) })).status).toBe(200);
  });

  it('lets other addresses pass', async () => {
    for (const target of ['/api/shop/errors', '/api/0', '/api/00/organizations/any/chunk-upload/']) {
      expect((await server.request(target, { method: 'POST' })).status).toBe(404);
      expect(isUploadPath(target)).toBe(false);
    }
    expect(isUploadPath('/api/0/organizations/any/chunk-upload/')).toBe(true);
  });
});

it('takes no secret key, and says what to make instead', async () => {
  const refused = await ask('chunk-upload/', { method: 'GET', key: shop.secretKey });
  expect(refused.status).toBe(403);
  const answer: unknown = await refused.json();
  expect(answer).toMatchObject({
    error: { code: 'not-for-uploads' },
    detail: expect.stringMatching(
      /secret key of shop.*upload token.*\/apps\/shop.*token create <name> --upload --app shop/,
    ),
  });
  expect(JSON.stringify(answer)).not.toContain(shop.secretKey);
  expect((await ask('chunk-upload/', { method: 'GET', key: shop.publicKey })).status).toBe(401);
  // Somebody who set up the app finds the reason on its page.
  expect(lines.some((line) => JSON.stringify(line).includes(shop.secretKey))).toBe(false);
});

it('takes a token for its app alone, until it is revoked, is over, or its app is gone', async () => {
  const reads = await makeToken(await openStore(), { name: 'r', allows: 'read', apps: ['shop'], days: 1 });
  const read = reads.type === 'made' ? reads.secret : '';
  expect((await ask('chunk-upload/', { method: 'GET', key: read })).status).toBe(401);
  expect((await ask('chunk-upload/', { method: 'GET' })).status).toBe(200);
  const store = await openStore();
  await store.db.updateTable('api_token').set({ expires: 1 }).where('allows', '=', 'upload').execute();
  expect((await ask('chunk-upload/', { method: 'GET' })).status).toBe(401);
  const again = await makeUploadToken('shop');
  await revokeToken(store, again.slice(4, 12));
  expect((await ask('chunk-upload/', { method: 'GET', key: again })).status).toBe(401);
  const last = await makeUploadToken('shop');
  const running: Promise<void>[] = [];
  await deleteApp(
    'shop',
    async () => undefined,
    (done) => void running.push(done),
  );
  await Promise.all(running);
  expect((await ask('chunk-upload/', { method: 'GET', key: last })).status).toBe(401);
  expect((await readTokens(store)).map(({ allows }) => allows)).toEqual(['read']);
});
