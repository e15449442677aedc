import { refusals } from './refusals.ts';

/**
 * Every code of the one error shape, `{ "error": { "code", "message" } }`, with its status; docs/refusals.md lists them.
 * Those of refusals.ts are looked up by a page's script, too. The others are told to programs alone, so a browser does not
 * load their words. A failed sign-in has codes of its own: access/login-problems.ts.
 */
export const errorCodes = {
  'malformed-action': { status: 400, message: refusals['malformed-action'] },
  'malformed-request': { status: 400, message: refusals['malformed-request'] },
  'not-signed-in': { status: 401, message: refusals['not-signed-in'] },
  'wrong-origin': { status: 403, message: refusals['wrong-origin'] },
  'not-public': { status: 404, message: refusals['not-public'] },
  'wrong-method': { status: 405, message: refusals['wrong-method'] },
  'too-slow': { status: 408, message: refusals['too-slow'] },
  'unknown-action': { status: 409, message: refusals['unknown-action'] },
  'too-large': { status: 413, message: refusals['too-large'] },
  'form-too-large': { status: 413, message: refusals['form-too-large'] },
  'too-many-fields': { status: 413, message: refusals['too-many-fields'] },
  overloaded: { status: 503, message: refusals.overloaded },
  'unsupported-type': { status: 415, message: refusals['unsupported-type'] },
  'not-found': { status: 404, message: 'There is nothing here by that name.' },
  'wrong-parameter': { status: 400, message: 'A parameter is not one that this address takes.' },
  'wrong-token': { status: 401, message: 'This request shows no token of the API that is valid.' },
  'wrong-key': { status: 401, message: 'This is not the secret key of that app.' },
  'not-for-uploads': { status: 403, message: 'This key sends errors. Source maps need an upload token.' },
  'no-key': { status: 401, message: 'This request names no key of an app.' },
  'unknown-key': { status: 403, message: 'There is no app with this project and this key.' },
  'metrics-key': { status: 401, message: 'Who asks for metrics from elsewhere shows METRICS_KEY.' },
  'forged-request': { status: 403, message: 'No client of React could have sent this request.' },
  'wrong-dsn': { status: 403, message: 'This report is for another server.' },
  'body-too-large': { status: 413, message: 'This request body is too large.' },
  'target-too-long': { status: 414, message: 'This address is too long.' },
  'unsupported-encoding': { status: 415, message: 'This address does not accept this content encoding.' },
  'expectation-failed': { status: 417, message: 'The server does not do what the Expect header asks for.' },
  'wrong-host': { status: 421, message: 'This server does not answer to that name.' },
  'too-many-requests': { status: 429, message: 'That was sent too often.' },
  'headers-too-large': { status: 431, message: 'The headers of this request are too large.' },
  'upstream-unreachable': {
    status: 502,
    message: 'The app behind this address cannot be reached. Nothing of this request has reached it.',
  },
  'upstream-broke': {
    status: 502,
    message: 'The app behind this address gave no complete answer. It may have carried out this request.',
  },
  'database-gone': { status: 503, message: 'The database does not answer right now. Nothing was changed.' },
  'not-answered': { status: 503, message: 'The database did not answer. Try again in a moment.' },
  'not-stored': { status: 503, message: 'The report could not be stored.' },
  'not-ready': { status: 503, message: 'This server should get no requests now.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
