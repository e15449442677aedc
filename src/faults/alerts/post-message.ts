import 'server-only';

import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';

import { describeError, escapeText } from '#boundary';

import { checkHost, InsideError, lookUpOutside } from './inside-addresses.ts';

/** What came of one attempt. The text is shown: it names no secret, and what a receiver wrote is bounded and on one line. */
export type Sent = {
  readonly isSent: boolean;
  readonly answer: string;
  /** Another attempt would end the same: this server refused, and not the receiver. */
  readonly isFinal?: boolean;
};

/** Slack answers within one; a function that has to start first, within a few. */
const timeoutMs = 10_000;
/** An error's text is a line or two. The rest of a long answer is never read. */
const answerBytes = 2_048;
const answerShown = 200;

export type Post = {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayReachInside: boolean;
  readonly signal: AbortSignal;
};

/** Answers of 1xx: a receiver that sends them without end would keep the processor busy until the time is over. */
const mostHints = 10;

/** The first bytes, when they are there; a receiver that goes on for ever is left. */
async function readStart(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    if (!(part instanceof Buffer)) break;
    parts.push(part);
    bytes += part.length;
    if (bytes >= answerBytes) break;
  }
  const text = Buffer.concat(parts).subarray(0, answerBytes).toString('utf8').replace(/\s+/g, ' ').trim();
  const line = escapeText(text);
  return line.length > answerShown ? `${line.slice(0, answerShown)}…` : line;
}

function open({ url, body, headers, mayReachInside }: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const target = new URL(url);
  if (!mayReachInside) checkHost(target.hostname);
  const request = target.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const sending = request(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Flight-Recorder',
        ...headers,
      },
      // A connection of its own: none is left open for a message in an hour.
      agent: false,
      signal,
      ...(mayReachInside ? {} : { lookup: lookUpOutside }),
    });
    sending.on('error', reject);
    let hints = 0;
    sending.on('information', () => {
      hints += 1;
      if (hints > mostHints) sending.destroy(new Error(`more than ${mostHints} answers before the answer`));
    });
    sending.on('response', resolve);
    sending.end(body);
  });
}

/** Posts once. Redirects are not followed: a receiver must not send the message, and its signature, elsewhere. Never throws. */
export async function postMessage(post: Post): Promise<Sent> {
  const late = AbortSignal.timeout(timeoutMs);
  let response: IncomingMessage | undefined;
  try {
    response = await open(post, AbortSignal.any([post.signal, late]));
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return { isSent: true, answer: `status ${status}` };
    const where = status >= 300 && status < 400 ? 'status %, a redirect, which is not followed' : 'status %';
    const text = await readStart(response);
    return { isSent: false, answer: where.replace('%', String(status)) + (text === '' ? '' : `: ${text}`) };
  } catch (error) {
    if (late.aborted) return { isSent: false, answer: `no answer within ${timeoutMs / 1000} seconds` };
    return {
      isSent: false,
      answer: escapeText(describeError(error)).slice(0, answerShown) || 'it could not be reached',
      ...(error instanceof InsideError ? { isFinal: true } : {}),
    };
  } finally {
    response?.destroy();
  }
}
