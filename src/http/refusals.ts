/**
 * Why a server action was not carried out, in the words that a visitor reads. The server answers with the code and the
 * status; the browser looks the words up here, so no text from the network is shown as this site's own. Every refusal
 * happens before the action's first line runs: that is why the words may promise that nothing was changed.
 */
export const refusals = {
  'malformed-action': {
    status: 400,
    message: 'The request does not name an action that this server can read. Nothing was changed.',
  },
  'malformed-request': { status: 400, message: 'The server could not read what was sent. Nothing was changed.' },
  'not-signed-in': { status: 401, message: 'Your session has ended, or there was none. Nothing was changed.' },
  'wrong-origin': { status: 403, message: 'This did not come from a page of this site. Nothing was changed.' },
  'not-public': { status: 404, message: 'There is nothing at this address.' },
  'wrong-method': { status: 405, message: 'This address does not take that kind of request.' },
  'too-slow': { status: 408, message: 'What was sent did not arrive in time. Nothing was changed.' },
  'unknown-action': { status: 409, message: 'This page is from an older version of the site. Nothing was changed.' },
  'too-large': { status: 413, message: 'That is too much at once: 1 MiB can be sent. Nothing was changed.' },
  'form-too-large': { status: 413, message: 'That is too much for this form. Nothing was changed.' },
  'too-many-fields': { status: 413, message: 'That form has too many fields. Nothing was changed.' },
  overloaded: { status: 503, message: 'The server has too much to do right now. Nothing was changed.' },
  'unsupported-type': { status: 415, message: 'This address does not accept this content type. Nothing was changed.' },
} as const;

export type RefusalCode = keyof typeof refusals;

export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === 'string' && Object.hasOwn(refusals, value);
}
