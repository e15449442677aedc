import 'server-only';

import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { actionHeader, requestIdHeader } from '#src/http/flight-headers.ts';
import { refusals } from '#src/http/refusals.ts';
import { renderRefusal, type RefusalForm } from '#src/http/refuse.ts';
import { writeLog } from '#src/http/log.ts';
import { setSecurityHeaders } from '#src/http/security-headers.ts';

/**
 * The answer to what never becomes a request for Hono: one 4xx, one line in the log, both with the same id, and the end
 * of the connection, because whoever misreads one message may misread where the next one begins.
 */
const answers = {
  'malformed-request': refusals['malformed-request'],
  'wrong-origin': refusals['wrong-origin'],
  'wrong-method': refusals['wrong-method'],
  'too-slow': refusals['too-slow'],
  'too-large': refusals['too-large'],
  'target-too-long': { status: 414, message: 'This address is too long.' },
  'expectation-failed': { status: 417, message: 'The server does not do what the Expect header asks for.' },
  'wrong-host': { status: 421, message: 'This server does not answer to that name.' },
  'headers-too-large': { status: 431, message: 'There is too much in front of this request.' },
} as const;

export type HostRefusal = {
  readonly code: keyof typeof answers;
  /** For the log alone. It may hold text from outside. */
  readonly detail: string;
};

/**
 * A client that is still sending may lose the answer when the connection is cut under it: TCP then discards what it has
 * received but not read. So the answer is sent whole at once, and the rest of the body is thrown away for so long.
 */
const lingerMs = 500;

/** Terminals act on control characters, also on those above ASCII; a log line shows all of them as escapes. */
function toLogText(text: string): string {
  const cut = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return cut.replace(/[^\x20-\x7e…]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function logRefusal({ code, detail }: HostRefusal, incoming: IncomingMessage | undefined): string {
  const requestId = randomBytes(16).toString('hex');
  const [path = ''] = (incoming?.url ?? '').split('?', 1);
  writeLog('warn', 'request-refused', {
    code,
    status: answers[code].status,
    method: incoming && toLogText(incoming.method ?? ''),
    route: incoming && toLogText(path),
    requestId,
    detail: toLogText(detail),
  });
  return requestId;
}

/** The page of a refused form has a style sheet of its own and nothing else. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

function render(code: HostRefusal['code'], form: RefusalForm, requestId: string): RawAnswer {
  const { status, message } = answers[code];
  const { headers: own, body } = renderRefusal(code, message, form);
  const headers = new Headers(own);
  headers.set('content-length', String(Buffer.byteLength(body)));
  headers.set(requestIdHeader, requestId);
  headers.set('connection', 'close');
  if (code === 'wrong-method') headers.set('allow', 'GET, HEAD, POST');
  if (form === 'page') headers.set('content-security-policy', pagePolicy);
  setSecurityHeaders(headers, '');
  return { status, body, headers: Object.fromEntries(headers) };
}

/** A form that the browser itself submitted: its user sees what comes back. */
function readForm({ method, headers }: IncomingMessage): RefusalForm {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const isForm = type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded');
  return method === 'POST' && isForm && headers[actionHeader] === undefined ? 'page' : 'json';
}

/** Answers in place of Hono. */
export function refuseRequest(incoming: IncomingMessage, outgoing: ServerResponse, refusal: HostRefusal): void {
  const { status, headers, body } = render(refusal.code, readForm(incoming), logRefusal(refusal, incoming));
  outgoing.writeHead(status, headers);
  outgoing.write(body);
  function end(): void {
    clearTimeout(timer);
    outgoing.end();
  }
  const timer = setTimeout(end, lingerMs);
  incoming.on('end', end).on('close', end).resume();
}

/** Answers where Node has no response object: the message is broken, or it is a CONNECT. */
export function refuseConnection(socket: Duplex, refusal: HostRefusal, incoming?: IncomingMessage): void {
  const { status, headers, body } = render(refusal.code, 'json', logRefusal(refusal, incoming));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** For a message whose answer is on its way already: only the line is missing. */
export function logBrokenBody(incoming: IncomingMessage, refusal: HostRefusal): void {
  logRefusal(refusal, incoming);
}
