import { isLoopbackName } from '#src/server/environment/reachability.ts';
import { readApiPath } from '#src/server/http/addresses.ts';
import { describeError } from '#boundary';

import { WrongUse } from '../command.ts';
import { complain } from '../usage.ts';
import type { ApiReply, ApiSource } from './api-source.ts';

/** An answer that takes longer is of no use to who waits for it; a page has less. */
const timeoutMs = 30_000;
/** A whole error has some 100 KB. */
const longestAnswer = 16 * 1024 * 1024;

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) throw new Error(`its answer has more than ${longestAnswer / 1024 / 1024} MiB`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('it does not answer as a Flight Recorder does: is the address right?', { cause: error });
  }
}

/** `fetch` says only that it failed, and why in its cause. */
function describeFailure(error: unknown): string {
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  return describeError(cause);
}

async function fetchReply(address: string, token: string): Promise<ApiReply> {
  const headers = { accept: 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  // A redirect could lead the token elsewhere.
  const response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  if (response.status >= 300 && response.status < 400) {
    throw new Error('it redirects: name the address that it leads to');
  }
  return { status: response.status, body: parse(await readBounded(response)) };
}

const nothing: ApiReply = { status: 404, body: { error: { message: 'Nothing is under this name.' }, near: [] } };

/** A server, as its API answers. @param token empty for a server where nobody signs in */
export function openRemote(url: URL, token: string): ApiSource {
  // `fetch` would refuse it with words that have the token in them, for a terminal, a log or an agent.
  if (!/^[!-~]*$/.test(token)) throw new WrongUse('FLIGHT_RECORDER_TOKEN has a character that no token has');
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}${readApiPath}/`;
  if (token !== '' && url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
    complain(`the token goes to ${url.host} without encryption; https keeps it to the two of you`);
  }
  return {
    async ask(target) {
      // What an address would be shortened by would ask something else.
      const [below = ''] = target.split('?');
      if (below.split('/').some((part) => part === '.' || part === '..')) return nothing;
      try {
        return await fetchReply(base + target, token);
      } catch (error) {
        throw new Error(`${url.host} was asked and did not answer: ${describeFailure(error)}`, { cause: error });
      }
    },
    close: async () => undefined,
  };
}
