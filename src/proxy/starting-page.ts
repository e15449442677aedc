import type { IncomingMessage, ServerResponse } from 'node:http';

import { renderPlainPage } from '#src/server/http/plain-page.ts';

/**
 * What a client gets that asks before the app listens: a page that loads itself again. It is no refusal and has no line in the log:
 * a person who has just started the app opens it at once.
 */
const page = renderPlainPage({
  title: 'The app is starting',
  content: '<p>This page loads itself again until the app answers. When it never does, the terminal says why.</p>',
  head: '<meta http-equiv="refresh" content="1">\n',
});

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function answerStarting(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const isForPerson = incoming.headers.accept?.includes('text/html') === true;
  const body = isForPerson ? page : 'The app is starting.\n';
  incoming.resume();
  outgoing.writeHead(503, {
    'content-type': `text/${isForPerson ? 'html' : 'plain'}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'retry-after': '1',
    connection: 'close',
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}
