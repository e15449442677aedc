import { request, type RequestOptions } from 'node:http';

import { expect, test } from 'vitest';

import { startServer, type RunningServer } from './testing/start-server.ts';

/** What a request did before its error, on the page of its digest: over the wire, through the database, as HTML. */
type Asked = Pick<RequestOptions, 'method' | 'headers'> & { readonly body?: string };

async function ask(server: RunningServer, path: string, { body, ...options }: Asked = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request({ agent: false, host: '127.0.0.1', port: server.port, path, ...options }, (response) => {
      let text = `x-flight-digest: ${String(response.headers['x-flight-digest'])}\n`;
      response.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text)).on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** In the header of a plain failure, in a row of the payload, and on the error page. */
const digestPlaces = [
  /(?<=x-flight-digest: )[0-9A-Z]{10}/,
  /(?<=digest\\":\\")[0-9A-Z]{10}/,
  /[0-9A-Z]{5}-[0-9A-Z]{5}/,
];

/** Waits until the page of the digest in `failed` shows all of `texts`, in this order. */
async function expectExported(server: RunningServer, failed: string, texts: readonly string[]): Promise<void> {
  const [digest = ''] = digestPlaces.map((place) => place.exec(failed)?.[0]).filter((found) => found !== undefined);
  if (digest === '') throw new Error(`no digest in ${failed.slice(0, 500)}`);
  async function findTexts(): Promise<readonly string[]> {
    const details = await ask(server, `/digest/${digest.replace(/^(.{5})-?/, '$1-')}`);
    // Only the HTML: the payload behind it repeats everything.
    const html = details.replace(/<script\b[^]*?<\/script>/g, '');
    let at = 0;
    return texts.filter((text) => {
      const found = html.indexOf(text, at);
      if (found < 0) return false;
      at = found;
      return true;
    });
  }
  await expect.poll(findTexts, { timeout: 10_000 }).toEqual(texts);
}

test('a page: its arrival, its rendering, its own words, each try for its data', async () => {
  await using server = await startServer();
  const failed = await ask(server, '/lab/page-data?failures=9');
  const tried = '/lab/flaky?failures&amp;key 503';
  await expectExported(server, failed, [
    'GET /lab/page-data (document)',
    'Rendering began',
    'Wanted a record',
    tried,
    tried,
    tried,
    tried,
    'PageDataError',
  ]);
});

test('an error behind the shell: the first bytes before it', async () => {
  await using server = await startServer();
  const failed = await ask(server, '/lab/throw-after-shell');
  await expectExported(server, failed, ['Rendering began', 'The first bytes were sent', 'thrown on purpose']);
});

test.each([
  ['a form that the browser submits', toForm],
  ['a call by the page’s JavaScript', toCall],
])('an action, as %s: which one, and how it ended', async (_name, toRequest) => {
  await using server = await startServer();
  const page = await ask(server, '/lab/throw-in-action');
  const id = /name="\$ACTION_ID_([^"]+)"/.exec(page)?.[1] ?? 'no form';
  const { headers, body } = toRequest(id);
  const failed = await ask(server, '/lab/throw-in-action', {
    method: 'POST',
    headers: { ...headers, origin: server.origin },
    body,
  });
  await expectExported(server, failed, ['POST /lab/throw-in-action (action)', '#throwOnPurpose thrown']);
});

function toForm(id: string) {
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `--x\r\nContent-Disposition: form-data; name="$ACTION_ID_${id}"\r\n\r\n\r\n--x--\r\n`,
  };
}

function toCall(id: string) {
  return { headers: { 'content-type': 'text/plain', 'x-flight-action': id.replace('#', '/') }, body: '[]' };
}
