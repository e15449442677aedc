import { request, type Agent } from 'node:http';

import type { RunningServer } from './start-server.ts';

/** The ways in which the lab fails and a digest leaves the server. Each is requested as a browser would. */
export type Failing = {
  readonly title: (typeof failingTitles)[number];
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

const boundary = '----failing';

/** By name, for tests that list them before a server runs. */
export const failingTitles = [
  'a document',
  'a payload',
  'a late Suspense boundary',
  'a client component on the server',
  'an action',
  'a form without JavaScript',
] as const;

/** The id of the action, as the page's form has it. */
async function readActionFile({ origin }: Pick<RunningServer, 'origin'>): Promise<string> {
  const page = await (await fetch(`${origin}/lab/throw-in-action`)).text();
  const file = /\$ACTION_ID_([\w-]+)#throwOnPurpose"/.exec(page)?.[1];
  if (!file) throw new Error('The page has no form for the action that throws');
  return file;
}

export async function listFailing(server: Pick<RunningServer, 'origin'>): Promise<readonly Failing[]> {
  const file = await readActionFile(server);
  const action = { 'content-type': 'text/plain;charset=UTF-8', 'x-flight-action': `${file}/throwOnPurpose` };
  const field = `content-disposition: form-data; name="$ACTION_ID_${file}#throwOnPurpose"`;
  return [
    { title: 'a document', method: 'GET', path: '/lab/throw-before-shell' },
    { title: 'a payload', method: 'GET', path: '/RSC/R/lab/throw-before-shell.txt' },
    { title: 'a late Suspense boundary', method: 'GET', path: '/lab/throw-after-shell' },
    { title: 'a client component on the server', method: 'GET', path: '/lab/throw-in-ssr' },
    { title: 'an action', method: 'POST', path: '/lab/throw-in-action', headers: action, body: '[]' },
    {
      title: 'a form without JavaScript',
      method: 'POST',
      path: '/lab/throw-in-action',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `--${boundary}\r\n${field}\r\n\r\n\r\n--${boundary}--\r\n`,
    },
  ];
}

/** In HTML, in rows, in rows inside a script, and in a header. */
const digestPattern = /digest\\?["']?[=:]\s?\\?["']?([0-9A-HJKMNP-TV-Z]{10})(?![0-9A-Z])/gi;

/**
 * Requests the page.
 * @param onDigest called with each digest at the moment when its last byte came
 * @returns whether the answer came completely
 */
export function askFailing(
  server: Pick<RunningServer, 'port' | 'host' | 'origin'>,
  { method, path: target, headers = {}, body = '' }: Failing,
  onDigest: (digest: string) => void,
  agent?: Agent,
): Promise<boolean> {
  const seen = new Set<string>();
  let text = '';
  function read(more: string): void {
    text += more;
    for (const [, digest = ''] of text.matchAll(digestPattern)) {
      if (!seen.has(digest)) onDigest(digest);
      seen.add(digest);
    }
  }
  const own = method === 'POST' ? { origin: server.origin, 'content-length': String(Buffer.byteLength(body)) } : {};
  const to = { host: '127.0.0.1', port: server.port, agent: agent ?? false };
  return new Promise((resolve) => {
    const sent = request(
      { ...to, method, path: target, headers: { host: server.host, ...own, ...headers } },
      (answer) => {
        read(Object.entries(answer.headers).flat().join(':'));
        answer.setEncoding('utf8').on('data', read);
        answer.on('error', () => resolve(false)).on('close', () => resolve(answer.complete));
      },
    );
    sent.on('error', () => resolve(false));
    sent.end(body);
  });
}
