import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { endpoints, type Recipe } from './recipe.ts';

/** The bytes of a request, piece by piece as they are written. */
export type Target = {
  readonly host: string;
  readonly publicKey: string;
  readonly script: string;
  /** From where the request comes, as the proxy before the server says it: so no rate is in the way. */
  readonly from: string;
};

/** More is made by `count` and by an encoding. */
const mostText = 8 * 2 ** 20;

function repeat(part: string, bytes: number): string {
  return part.repeat(Math.ceil(Math.min(bytes, mostText) / part.length));
}

function listOf<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.round(count)) }, (_, index) => make(index));
}

/** How many of something of this size make the body. */
function fit({ bytes, count }: Recipe, each: number): number {
  return Math.min(count, Math.ceil(bytes / each));
}

function makeEvent(recipe: Recipe): object {
  const { part, bytes, count, depth } = recipe;
  const text = (share: number) => repeat(part, Math.max(1, bytes * share));
  switch (recipe.shape) {
    case 'event-texts': {
      const crumbs = fit(recipe, 2_000);
      const data = Object.fromEntries(listOf(20, (index) => [`k${index}`, text(0.8 / crumbs / 20)]));
      return {
        exception: { values: [{ type: text(0.001), value: text(0.1) }] },
        breadcrumbs: listOf(crumbs, (index) => ({ timestamp: 1 + index, message: text(0.1 / crumbs), data })),
      };
    }
    case 'event-message':
      return { message: text(1) };
    case 'event-parameters':
      return { logentry: { message: text(0.05), params: listOf(fit(recipe, 20), () => text(1 / count)) } };
    case 'event-causes': {
      const line = text(0.7 / 30);
      const values = listOf(fit(recipe, 60), (index) => ({ type: 'E', value: `${index}${text(0.3 / count)}` }));
      const argument = { digest: '1', message: '' };
      const data = { arguments: listOf(20, () => argument) };
      return {
        exception: { values },
        breadcrumbs: listOf(30, () => ({ category: 'console', message: line, data })),
      };
    }
    case 'event-frames': {
      const frames = listOf(fit(recipe, 80), (index) => ({
        filename: text(1 / count),
        function: `f${index}`,
        lineno: index,
        pre_context: listOf(5, () => part),
        vars: { a: part },
      }));
      return { exception: { values: [{ type: 'E', value: 'v', stacktrace: { frames } }] } };
    }
    default: {
      const tags = Object.fromEntries(listOf(fit(recipe, 20), (index) => [`${part}${index}`, text(1 / count)]));
      return { message: 'm', tags, extra: tags, contexts: { a: { b: listOf(Math.min(depth, 1_000), () => part) } } };
    }
  }
}

function wrap(event: string, { endpoint }: Recipe): string {
  return endpoint === 'store' ? event : `{}\n{"type":"event"}\n${event}`;
}

function nest(opening: string, closing: string, { depth, bytes }: Recipe): string {
  const levels = Math.min(depth, Math.ceil(bytes / opening.length));
  return `{"message":"m","extra":${opening.repeat(levels)}1${closing.repeat(levels)}}`;
}

function writeBody(recipe: Recipe): string {
  const { shape, part, bytes } = recipe;
  switch (shape) {
    case 'none':
      return '';
    case 'text':
      return repeat(part, bytes);
    case 'nested-lists':
      return wrap(nest('[', ']', recipe), recipe);
    case 'nested-objects':
      return wrap(nest('{"a":', '}', recipe), recipe);
    case 'many-keys': {
      const keys = listOf(fit(recipe, 8), (index) => `{"${index.toString(36)}":1}`);
      return wrap(`{"message":"m","extra":[${keys.join(',')}]}`, recipe);
    }
    case 'items': {
      const event = JSON.stringify({ message: part, tags: { digest: '1' } });
      return `{}\n${listOf(fit(recipe, event.length + 20), () => `{"type":"event"}\n${event}`).join('\n')}`;
    }
    case 'form':
      return listOf(fit(recipe, 12), (index) => `a${index}=${encodeURIComponent(part)}`).join('&');
    case 'multipart': {
      const field = (index: number) =>
        `--x\r\nContent-Disposition: form-data; name="${index}"\r\n\r\n${repeat(part, bytes / 1_000)}\r\n`;
      return `${listOf(fit(recipe, 80), field).join('')}--x--\r\n`;
    }
    case 'policy-report':
      return JSON.stringify({ 'csp-report': { 'document-uri': repeat(part, bytes), 'violated-directive': 'a' } });
    default:
      return wrap(JSON.stringify(makeEvent(recipe)), recipe);
  }
}

function encode(body: Buffer, encoding: Recipe['encoding']): Buffer {
  switch (encoding) {
    case 'identity':
      return body;
    case 'gzip':
      return gzipSync(body, { level: 1 });
    case 'deflate':
      return deflateSync(body, { level: 1 });
    case 'br':
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } });
    case 'zstd':
      return zstdCompressSync(body);
  }
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function writeChunked(bytes: Buffer, size: number): Buffer {
  // Beyond this the chunks alone are the body.
  const chunks = cut(bytes.subarray(0, 200_000 * size), size);
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]);
}

const types: Partial<Record<Recipe['shape'], string>> = {
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data; boundary=x',
  'policy-report': 'application/csp-report',
};

export function writeRequest(recipe: Recipe, { host, publicKey, script, from }: Target): readonly Buffer[] {
  const { endpoint, shape, part, query, headers, chunk, encoding } = recipe;
  const [method = '', address = ''] = endpoints[endpoint].replace('{script}', script).split(' ');
  const searched = query === 0 ? '' : `?q=${encodeURI(repeat(part, query)).replaceAll('#', '').slice(0, query)}`;
  const body = method === 'GET' ? Buffer.alloc(0) : encode(Buffer.from(writeBody(recipe)), encoding);
  const safe = part.replaceAll(/[^\x20-\x7e]/g, 'x');
  const lines = [
    `${method} ${address}${searched} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: http://${host}`,
    'Connection: close',
    'Accept: text/html',
    `X-Forwarded-For: ${from}`,
    `X-Sentry-Auth: Sentry sentry_key=${publicKey}`,
    `Authorization: Bearer ${publicKey}`,
    `Content-Type: ${types[shape] ?? 'application/x-sentry-envelope'}`,
    ...(encoding === 'identity' ? [] : [`Content-Encoding: ${encoding}`]),
    ...(endpoint === 'script' || endpoint === 'icon' ? [`Range: bytes=${'0-1,'.repeat(headers)}0-1`] : []),
    ...(headers === 0
      ? []
      : listOf(Math.min(headers, 80), (index) => `X-${index}: ${safe.repeat(Math.ceil(100 / safe.length))}`)),
  ];
  const isChunked = chunk > 0 && body.length > 0;
  if (method !== 'GET') lines.push(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`);
  const sent = isChunked ? writeChunked(body, chunk) : body;
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return [head, ...(sent.length === 0 ? [] : cut(sent, Math.ceil(sent.length / recipe.writes)))];
}
