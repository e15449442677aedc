import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { errorCodes } from '#src/server/http/error-codes.ts';
import { actionHeader } from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { writeLog } from '#src/server/http/log.ts';
import { countRefusal, countRequest } from '#src/server/http/request-counts.ts';
import { cutForLog, renderPage, renderRefusal, type RefusalForm, type Rendered } from '#src/server/http/refuse.ts';
import { hasOwnLine, refusals } from '#src/server/http/repeated-lines.ts';
import { restrictAnswer } from '#src/server/http/security-headers.ts';
import { toNetwork } from '#src/server/http/to-network.ts';

import { dropChunks } from './drop-chunks.ts';

/**
 * Refuses a message before it becomes a request for Hono: one 4xx and one line in the log, both with the same id, and the
 * end of the connection, because it may not be clear where the next message begins.
 */
type EarlyCode =
  | 'malformed-request'
  | 'wrong-origin'
  | 'wrong-method'
  | 'too-slow'
  | 'too-large'
  | 'body-too-large'
  | 'target-too-long'
  | 'expectation-failed'
  | 'wrong-host'
  | 'forged-request'
  | 'headers-too-large'
  | 'upstream-unreachable'
  | 'upstream-broke';

export type ConnectionRefusal = {
  readonly code: EarlyCode;
  /** For the log alone. It may hold text from outside, which the log escapes. */
  readonly detail: string;
  /** What a person who opened the address in a browser sees in place of JSON. It has no script and no file. */
  readonly page?: string;
};

/**
 * A client that is still sending may lose the answer when the connection is closed: TCP then discards what the client has
 * received but not read. So the whole answer is sent at once, and for so long the rest of the body is read and dropped.
 */
const lingerMs = 500;

function logRefusal({ code, detail }: ConnectionRefusal, incoming: IncomingMessage | undefined): string {
  const requestId = randomBytes(16).toString('hex');
  countRefusal(code, 'port');
  const [path = ''] = (incoming?.url ?? '').split('?', 1);
  if (!hasOwnLine(code, toNetwork(incoming?.socket.remoteAddress ?? ''), refusals)) return requestId;
  writeLog('warn', 'request-refused', {
    code,
    status: errorCodes[code].status,
    method: incoming?.method,
    route: incoming && cutForLog(path),
    requestId,
    detail: cutForLog(detail),
  });
  return requestId;
}

/** The page of a refused form has an inline style sheet and nothing else. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

function renderBody({ code, page }: ConnectionRefusal, form: RefusalForm | 'navigation'): Rendered {
  if (form !== 'navigation') return renderRefusal(code, form);
  return page === undefined ? renderRefusal(code, 'json') : renderPage(page);
}

function render(refusal: ConnectionRefusal, form: RefusalForm | 'navigation', requestId: string): RawAnswer {
  const { code } = refusal;
  const { status } = errorCodes[code];
  const { headers: own, body } = renderBody(refusal, form);
  const headers = new Headers(own);
  headers.set('content-length', String(Buffer.byteLength(body)));
  headers.set(requestIdHeader, requestId);
  headers.set('connection', 'close');
  if (code === 'wrong-method') headers.set('allow', 'GET, HEAD, POST');
  if (own['content-type']?.startsWith('text/html')) headers.set('content-security-policy', pagePolicy);
  restrictAnswer(headers, '');
  return { status, body, headers: Object.fromEntries(headers) };
}

/** `page` for a form that the browser itself submitted: its user sees the answer. `navigation`: a person opened the address. */
function readForm({ method, headers }: IncomingMessage): RefusalForm | 'navigation' {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const isForm = type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded');
  if (method === 'POST') return isForm && headers[actionHeader] === undefined ? 'page' : 'json';
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' || headers['sec-fetch-mode'] === undefined;
  return isNavigation && headers.accept?.includes('text/html') === true ? 'navigation' : 'json';
}

/** Answers in place of Hono. */
export function refuseRequest(incoming: IncomingMessage, outgoing: ServerResponse, refusal: ConnectionRefusal): void {
  const { status, headers, body } = render(refusal, readForm(incoming), logRefusal(refusal, incoming));
  countRequest('unread', status);
  outgoing.writeHead(status, headers);
  outgoing.write(body);
  function end(): void {
    clearTimeout(timer);
    outgoing.end();
  }
  const timer = setTimeout(end, lingerMs);
  dropChunks(incoming);
  if (incoming.complete || incoming.destroyed) end();
  else incoming.on('end', end).on('close', end).resume();
}

/** Answers where Node has no response object: the message is broken, or it asks for another protocol. */
export function refuseConnection(socket: Duplex, refusal: ConnectionRefusal, incoming?: IncomingMessage): void {
  // Node has given the connection away. Without a listener, a client that resets it ends the process.
  socket.on('error', () => socket.destroy());
  const { status, headers, body } = render(refusal, 'json', logRefusal(refusal, incoming));
  countRequest('unread', status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** For a message that has its answer already: only the line in the log is missing. */
export function logBrokenBody(incoming: IncomingMessage, refusal: ConnectionRefusal): void {
  logRefusal(refusal, incoming);
}
