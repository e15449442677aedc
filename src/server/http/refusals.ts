/**
 * Why a server action was not carried out, in the words that a visitor reads. The server answers with the code and the
 * status (error-codes.ts); the browser looks the words up here, so no text from the network is shown as this site's own. Every refusal
 * happens before the action's first line runs: that is why the words may promise that nothing was changed.
 */
export const refusals = {
  'malformed-action': 'The server could not read which action was asked for. Nothing was changed.',
  'malformed-request': 'The server could not read what was sent. Nothing was changed.',
  'not-signed-in': 'There is no session, or it has ended. Nothing was changed.',
  'wrong-origin': 'This did not come from a page of this site. Nothing was changed.',
  'not-public': 'There is nothing at this address.',
  'wrong-method': 'This address takes no such request.',
  'too-slow': 'The server could not read what was sent in time. Nothing was changed.',
  'unknown-action': 'This page is from an older version of the site. Nothing was changed.',
  'too-large': 'That is too much: 1 MiB can be sent. Nothing was changed.',
  'form-too-large': 'That is too much for this form. Nothing was changed.',
  'too-many-fields': 'That form has too many fields. Nothing was changed.',
  overloaded: 'The server has too much to do. Nothing was changed.',
  'unsupported-type': 'This address takes no such content type. Nothing was changed.',
} as const;

export type RefusalCode = keyof typeof refusals;

export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === 'string' && Object.hasOwn(refusals, value);
}
