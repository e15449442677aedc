import { Agent, type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';

import { type Body, bodylessMethods } from './read-framing.ts';

/** Where the interface listens, on this machine. */
export type Place = { readonly hostname: string; readonly port: number };

/** What goes out first. Everything else of it streams. */
export type Asked = {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  /** Names and values in turn, with `host`, without what frames the body. */
  readonly headers: readonly string[];
  /** Undefined: there is none. Read once. */
  readonly body: Body | undefined;
  /** The visitor has left. */
  readonly signal: AbortSignal;
};

/**
 * For requests that have no body: as many as there are visitors. Connections that are not used keep no process alive, and are
 * closed before the interface does. What may have a body has a connection of its own: nothing of it can be read as the beginning
 * of somebody else's request.
 */
const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });

function ignore(): void {
  // Who reads the body is told by its stream. Without a listener, an error of nobody's would end the app.
}

function untilDrained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    function goOn(): void {
      request.off('drain', goOn).off('close', goOn);
      resolve();
    }
    if (request.destroyed) resolve();
    else request.on('drain', goOn).on('close', goOn);
  });
}

async function sendBody({ length, pieces }: Body, request: ClientRequest): Promise<void> {
  let sent = 0;
  try {
    for await (const piece of pieces) {
      if (!(piece instanceof Uint8Array)) throw new Error('a piece that is no bytes');
      sent += piece.byteLength;
      if (length !== undefined && sent > length) throw new Error('a body beyond its length');
      if (!request.write(piece)) await untilDrained(request);
      if (request.destroyed) throw new Error('the interface left');
    }
    if (length !== undefined && sent < length) throw new Error('a body below its length');
    request.end();
  } catch (error) {
    // The visitor left, or the interface did: whoever is still there sees the request broken.
    request.destroy(new Error('the body was not sent', { cause: error }));
  }
}

/** Exactly one, for every method: Node's client writes a body without any where the method has none as a rule. */
function writeFraming({ method, body }: Asked): string[] {
  if (!body) return bodylessMethods.has(method) ? [] : ['content-length', '0'];
  return body.length === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', String(body.length)];
}

function askOnce(place: Place, asked: Asked): Promise<IncomingMessage> {
  const { method, target, body, signal } = asked;
  const isAlone = body !== undefined || !bodylessMethods.has(method);
  // With `close`, the interface would cut a body that it does not read, and its answer could be lost with it.
  const headers = [...asked.headers, ...writeFraming(asked), ...(isAlone ? ['connection', 'keep-alive'] : [])];
  return new Promise((resolve, reject) => {
    const request = startRequest({ ...place, method, path: target, headers, agent: isAlone ? false : agent, signal });
    request.on('response', (answer) => {
      // The rest of a body that the interface did not wait for.
      answer.on('error', ignore).on('end', () => !request.writableFinished && request.destroy());
      resolve(answer);
    });
    // After the response has begun, its own stream says what failed. This listener keeps the error from ending the app.
    request.on('error', (error) => reject(Object.assign(error, { isStale: request.reusedSocket })));
    if (body) void sendBody(body, request);
    else request.end();
  });
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isStale(error: unknown): boolean {
  return readCode(error) === 'ECONNRESET' && error instanceof Error && 'isStale' in error && error.isStale === true;
}

const codesOfGone: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Whether the error says that the interface is not there. Others are the visitor's: they left, or sent what cannot be passed on. */
export function saysGone(error: unknown): boolean {
  const code = readCode(error);
  // Somebody else answers at its port.
  return codesOfGone.has(code) || code.startsWith('HPE_');
}

/**
 * Resolves with the head of the answer, whose body streams.
 * @throws when there is none
 */
export async function askInterface(place: Place, asked: Asked): Promise<IncomingMessage> {
  try {
    return await askOnce(place, asked);
  } catch (error) {
    // The interface was just closing a connection that had been idle. What has a body is not sent twice.
    if (asked.body || asked.signal.aborted || !isStale(error)) throw error;
    return askOnce(place, asked);
  }
}
