import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { type App, findApp, findAppOfSecret } from '#src/apps/apps.ts';
import { enterSender } from '#src/apps/enter-sender.ts';
import { readBearer } from '#src/apps/authorise-sender.ts';
import { refuseSender, type SenderRefusal } from '#src/apps/refuse-sender.ts';
import { appPath, uploadApiPath } from '#src/server/http/addresses.ts';
import { type BodyLimit, checkDeclaredLength, isMultipart } from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import { errorCodes } from '#src/server/http/error-codes.ts';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { renderError } from '#src/server/http/refuse.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';
import { findUploadApp } from '#src/access/tokens.ts';
import { assembleBundle, type Assembly } from '#src/faults/source-maps/assemble-bundle.ts';
import { isChunkId, keepChunk } from '#src/faults/source-maps/keep-chunks.ts';
import { uploadLimits } from '#src/faults/source-maps/limits.ts';
import { isReleaseName, noteRelease, readReleaseName } from '#src/faults/source-maps/note-release.ts';
import { readAssemble } from '#src/faults/source-maps/read-assemble.ts';

/**
 * `/api/0/…`: as much of Sentry's API as `sentry-cli sourcemaps upload` speaks (docs/source-maps.md):
 *
 *     GET  organizations/<org>/chunk-upload/               how to upload
 *     POST organizations/<org>/artifactbundle/assemble/    which chunks are missing? Put them together
 *     POST organizations/<org>/chunk-upload/               one chunk, as a file of a form
 *     POST organizations/<org>/releases/                   there is a release; with its name behind it, PUT, it is complete
 *
 *     GET                                                  are the address and the token right?
 *
 * Bundlers' plugins name their release in front of an upload. The CLI's second version asks for releases at projects/<org>/<project>/.
 *
 * The app follows from the upload token (src/access/tokens.ts); the names of the organization and the project may be anything. In this
 * order: the token, the app's rate, the headers, the body's length, the body. So a stranger costs a look-up, and takes nothing of what
 * those may send who have a token.
 */

/** A chunk, and what multipart puts around it. */
const chunkLimit: BodyLimit = { bytes: uploadLimits.chunkBytes + 16 * 1024, code: 'body-too-large' };
/** For each, what waits is looked through. The CLI sends one in a request, as it is told. */
const mostChunks = 8;
/** A bundle of the most chunks names each with 43 bytes. */
const assembleLimit: BodyLimit = { bytes: 64 * 1024, code: 'body-too-large' };
/** As long as somebody with a slow line needs for a chunk: 20 s at 200 kbit/s. */
const uploadDeadlineMs = 30_000;

/** `own`: a bundle of the largest size comes at once, in 128 chunks. `shared`: as fast as a small machine's disk and hashing take it. */
const limits = { own: { size: 300, perSecond: 10 }, shared: { size: 600, perSecond: 30 } };

const busy: SenderRefusal = {
  code: 'overloaded',
  detail: 'too many at once',
  headers: { 'retry-after': '1' },
};

type Route = 'chunk-upload' | 'assemble' | 'releases' | 'release';

const routes: readonly { readonly route: Route; readonly pattern: RegExp }[] = [
  { route: 'chunk-upload', pattern: /^organizations\/[^/]+\/chunk-upload\/?$/ },
  { route: 'assemble', pattern: /^organizations\/[^/]+\/artifactbundle\/assemble\/?$/ },
  { route: 'releases', pattern: /^(?:organizations\/[^/]+|projects\/[^/]+\/[^/]+)\/releases\/?$/ },
  { route: 'release', pattern: /^(?:organizations\/[^/]+|projects\/[^/]+\/[^/]+)\/releases\/[^/]+\/?$/ },
];

function findRoute(path: string): Route | undefined {
  const rest = path.slice(uploadApiPath.length);
  return routes.find(({ pattern }) => pattern.test(rest))?.route;
}

/** The CLI shows `detail`. */
function refuseUpload(app: App | undefined, refusal: SenderRefusal, shown?: string): Response {
  const refused = refuseSender('source-maps', app?.id, refusal);
  const { message } = errorCodes[refusal.code];
  const { body } = renderError(refusal.code, message, { detail: shown ?? message });
  return new Response(body, refused);
}

function answerJson(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'private, no-store' } });
}

function describeUpload(org: string): Response {
  return answerJson({
    // Without a slash at its beginning the CLI puts its own base address in front, as it reaches this server.
    url: `organizations/${encodeURIComponent(org)}/chunk-upload/`,
    chunkSize: uploadLimits.chunkBytes,
    chunksPerRequest: 1,
    maxFileSize: uploadLimits.bundleBytes,
    maxRequestSize: uploadLimits.chunkBytes,
    concurrency: 2,
    hashAlgorithm: 'sha1',
    // Bundles are packed already.
    compression: [],
    accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2'],
  });
}

async function readChunks(c: Context, body: Uint8Array<ArrayBuffer>): Promise<readonly File[] | undefined> {
  try {
    const type = c.req.header('content-type') ?? '';
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    return form.getAll('file').filter((file) => file instanceof File);
  } catch {
    // Not what multipart says: undici's error has no words for people.
    return undefined;
  }
}

async function takeChunks(c: Context, app: App): Promise<Response> {
  if (!isMultipart(c.req.header('content-type') ?? null)) {
    return refuseUpload(app, { code: 'unsupported-type', detail: 'a chunk that is not multipart/form-data' });
  }
  const tooLong = checkDeclaredLength(c.req.raw, chunkLimit);
  if (tooLong) return refuseUpload(app, tooLong);
  const body = await takeBody(c.req.raw, chunkLimit, { deadlineMs: uploadDeadlineMs });
  if ('code' in body) return refuseUpload(app, body);
  const chunks = await readChunks(c, body);
  if (!chunks || chunks.length === 0) {
    const detail = 'the form has no field file with a chunk in it';
    return refuseUpload(app, { code: 'malformed-request', detail }, detail);
  }
  if (chunks.length > mostChunks) {
    const detail = `the form has more than ${mostChunks} chunks; one for each request is asked for`;
    return refuseUpload(app, { code: 'malformed-request', detail }, detail);
  }
  for (const chunk of chunks) {
    const refused = await keepOne(app, chunk);
    if (refused) return refused;
  }
  return answerJson({});
}

async function keepOne(app: App, chunk: File): Promise<Response | undefined> {
  if (!isChunkId(chunk.name)) {
    const detail = "a chunk's file name is not its SHA-1 in hex";
    return refuseUpload(app, { code: 'malformed-request', detail }, detail);
  }
  const kept = await keepChunk(app.id, chunk.name, new Uint8Array(await chunk.arrayBuffer()));
  switch (kept) {
    case 'kept':
      return undefined;
    case 'wrong-checksum': {
      const detail = "a chunk does not have the checksum that is its file's name";
      return refuseUpload(app, { code: 'malformed-request', detail }, detail);
    }
    case 'too-many': {
      const detail = 'too many chunks wait for the rest of their bundle; they are deleted after an hour';
      return refuseUpload(app, { code: 'not-stored', detail, headers: { 'retry-after': '600' } }, detail);
    }
    case 'no-room': {
      const detail = 'the disk of this server is full';
      return refuseUpload(app, { code: 'not-stored', detail, headers: { 'retry-after': '60' } }, detail);
    }
  }
}

function answerAssembly(assembly: Assembly): Response {
  switch (assembly.state) {
    case 'not_found':
      return answerJson({ state: assembly.state, missingChunks: assembly.missing });
    case 'error':
      return answerJson({ state: assembly.state, missingChunks: [], detail: assembly.detail });
    case 'assembling':
    case 'ok':
      return answerJson({ state: assembly.state, missingChunks: [] });
  }
}

async function assemble(c: Context, app: App): Promise<Response> {
  const tooLong = checkDeclaredLength(c.req.raw, assembleLimit);
  if (tooLong) return refuseUpload(app, tooLong);
  const body = await takeBody(c.req.raw, assembleLimit);
  if ('code' in body) return refuseUpload(app, body);
  const request = readAssemble(body);
  if (typeof request === 'string') return refuseUpload(app, { code: 'malformed-request', detail: request }, request);
  return answerAssembly(await assembleBundle({ app: app.id, ...request }));
}

async function keepRelease(app: App, name: string, status: 200 | 201): Promise<Response> {
  if (!(await noteRelease(app.id, name))) {
    return refuseUpload(app, { code: 'not-stored', detail: 'a release', headers: { 'retry-after': '10' } });
  }
  const release = {
    version: name,
    projects: [{ slug: app.id, name: app.name }],
    dateCreated: new Date().toISOString(),
  };
  return answerJson(release, status);
}

function refuseNoRelease(app: App): Response {
  const detail = 'version is not the name of a release: text of at most 250 characters';
  return refuseUpload(app, { code: 'malformed-request', detail }, detail);
}

async function addRelease(c: Context, app: App): Promise<Response> {
  const tooLong = checkDeclaredLength(c.req.raw, assembleLimit);
  if (tooLong) return refuseUpload(app, tooLong);
  const body = await takeBody(c.req.raw, assembleLimit);
  if ('code' in body) return refuseUpload(app, body);
  const name = readReleaseName(body);
  return name === undefined ? refuseNoRelease(app) : keepRelease(app, name, 201);
}

/** What it says of the release's times is not read, so its body is not either. */
async function completeRelease(c: Context, app: App): Promise<Response> {
  const name = decodePart(c.req.path.replace(/\/$/, '').split('/').at(-1) ?? '');
  return isReleaseName(name) ? keepRelease(app, name, 200) : refuseNoRelease(app);
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const takers: Readonly<Record<Route, (c: Context, app: App) => Promise<Response>>> = {
  'chunk-upload': takeChunks,
  assemble,
  releases: addRelease,
  release: completeRelease,
};

async function carryOut(c: Context, app: App): Promise<Response> {
  const route = findRoute(c.req.path);

  if (route === 'chunk-upload' && c.req.method === 'GET') {
    return describeUpload(c.req.path.slice(uploadApiPath.length).split('/')[1] ?? '');
  }
  if (c.req.path === uploadApiPath && c.req.method === 'GET') {
    // `sentry-cli info` asks for it: somebody looks whether the address and the key are right.
    return answerJson({ version: '0', user: null, auth: { scopes: ['project:releases'] } });
  }
  if (route === undefined) {
    const detail = 'this server takes source maps through sentry-cli sourcemaps upload, and nothing else of this API';
    return refuseUpload(app, { code: 'not-found', detail }, detail);
  }
  const allowed = route === 'release' ? 'PUT' : 'POST';
  if (c.req.method !== allowed) {
    const allow = route === 'chunk-upload' ? 'GET, POST' : allowed;
    return refuseUpload(app, { code: 'wrong-method', detail: c.req.method, headers: { allow } });
  }
  return takers[route](c, app);
}

function refuseMany(app: App | undefined, of: string, wait: number): Response {
  const headers = { 'retry-after': String(wait) };
  return refuseUpload(app, { code: 'too-many-requests', detail: `too many uploads of ${of}`, headers });
}

/** A secret key of an app is told from a text that is nothing: whoever has it can be helped. */
async function refuseUploader(key: string | undefined): Promise<Response> {
  const app = key === undefined ? undefined : await findAppOfSecret(key);
  if (app) {
    const shown =
      `SENTRY_AUTH_TOKEN is the secret key of ${app.id}, which sends errors. Source maps are uploaded with an upload token, ` +
      `which can do nothing else: make one on ${appPath(app.id)}, or with flight-recorder token create <name> --upload --app ${app.id}`;
    return refuseUpload(app, { code: 'not-for-uploads', detail: `the secret key of ${app.id}` }, shown);
  }
  const headers = { 'www-authenticate': 'Bearer realm="flight-recorder"' };
  const shown =
    "SENTRY_AUTH_TOKEN is no upload token (flu_…), or one that was revoked or is over. The app's page makes one.";
  return refuseUpload(undefined, { code: 'wrong-key', detail: 'no upload token', headers }, shown);
}

async function findUploader(key: string | undefined): Promise<App | undefined> {
  const id = key === undefined ? undefined : await findUploadApp(key);
  return id === undefined ? undefined : findApp(id);
}

/** Takes source maps of apps and lets other paths pass. */
export function sourceMaps(): MiddlewareHandler {
  const takeOfApp = createBuckets(limits);
  const takeOfAddress = createBuckets(limits);

  async function answer(c: Context): Promise<Response> {
    const key = readBearer(c.req.header('authorization') ?? null);
    const app = await findUploader(key);
    if (!app) {
      const addressWait = takeOfAddress(currentRequest()?.address || undefined);
      return addressWait > 0 ? refuseMany(undefined, 'an address', addressWait) : refuseUploader(key);
    }
    const wait = takeOfApp(app.id);
    if (wait > 0) return refuseMany(app, app.id, wait);
    const place = enterSender(app.id, () => undefined);
    if (!place) return refuseUpload(app, busy);
    // What an upload waits for is not its body alone.
    place.keep();
    try {
      return await carryOut(c, app);
    } catch (error) {
      writeLog('error', 'source-maps-not-stored', { app: app.id, reason: describeError(error) });
      return refuseUpload(app, {
        code: 'not-stored',
        detail: 'the files or the database',
        headers: { 'retry-after': '10' },
      });
    } finally {
      place.leave();
    }
  }

  return function sourceMapsMiddleware(c, next) {
    return isUploadPath(c.req.path) ? answer(c) : next();
  };
}

export function isUploadPath(path: string): boolean {
  return path.startsWith(uploadApiPath);
}
