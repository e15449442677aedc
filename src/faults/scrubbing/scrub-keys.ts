import 'server-only';

import { decodeSpelling } from '#src/server/http/decode-spelling.ts';

/**
 * Keys whose values are always removed: in data, and where a text says `key=value` or `"key": "value"`. The first two lists are
 * fixed. The operator adds names of the app's own: scrub-own-keys.ts reads them.
 */

/** As the page shows it, and as an expression. */
type KeyRule = readonly [shown: string, expression: string];

/** Relay's and the SDK's lists, without the bare word `key`. The names of cookies stand here, too. */
const secretKeys: readonly KeyRule[] = [
  ['auth', 'auth'],
  ['token', 'token'],
  ['secret', 'secret'],
  ['session', 'sess(?:ion|id)'],
  ['password, passwd', 'passw'],
  ['pwd', 'pwd'],
  ['credential', 'credential'],
  ['cookie', 'cookie'],
  ['csrf, xsrf', '[cx]srf'],
  ['jwt', 'jwt'],
  ['bearer', 'bearer'],
  ['saml', 'saml'],
  ['oidc', 'oidc'],
  ['pkce', 'pkce'],
  ['nonce', 'nonce'],
  ['api key, private key, access key', '(?:api|private|access)[-_ ]?key'],
  ['two-factor, 2fa, mfa', 'two[-_]factor|2fa|(?:^|[-_.])mfa'],
  ['remember', 'remember'],
  ['__host-, __secure-', '__(?:host|secure)-'],
  ['awsalb', 'awsalb'],
  ['phpsessid, symfony', 'symfony'],
  ['sid, otp, su, sudo (alone)', '^(?:sid|otp|su(?:do)?)$|(?:sentry|[-_.])sid$'],
  ['sso…', '^sso'],
];

/** What a person typed or sent, or who they are. `arguments` are those of a console call; its text is in the message already. */
const personalKeys: readonly KeyRule[] = [
  ['e-mail', 'e-?mail'],
  ['phone', 'phone'],
  ['ip, ip address', '(?:^|[-_.])ip$|ip_?addr'],
  ['remote address, client address, client ip', 'remote_?addr|client[._]?(?:address|ip)'],
  ['forwarded', 'forwarded'],
  ['user…', '^user'],
  ['body, payload', 'body|payload'],
  ['headers', 'headers'],
  ['arguments (alone)', '^arguments$'],
];

const fixedKeys = [...secretKeys, ...personalKeys];
const fixedKey = new RegExp(fixedKeys.map(([, expression]) => expression).join('|'), 'i');

/** For a page. */
export const shownKeys: readonly string[] = fixedKeys.map(([shown]) => shown);

let ownKeys: ReadonlySet<string> = new Set();

/** `Customer-No` is `customer_no` and `customerNo`. */
export function normaliseKey(name: string): string {
  return name.toLowerCase().replace(/[\s._-]/g, '');
}

/** The operator's, from now on. */
export function setOwnKeys(names: readonly string[]): void {
  ownKeys = new Set(names.map(normaliseKey));
}

/** However it is spelled: `pass%77ord`, `api+key`. */
export function isSensitiveKey(key: string): boolean {
  const read = decodeSpelling(key).replaceAll('+', ' ');
  return fixedKey.test(read) || (ownKeys.size > 0 && ownKeys.has(normaliseKey(read)));
}

/**
 * A word, and what makes it the name of a value. Each word is read once and skipped when it is no name: so the work does not depend on
 * the text.
 */
const nameInText = /([\p{L}\p{N}_-]+)(\\?["']?\s{0,3}[:=]\s{0,3})?/gu;
const valueInText = /(?!\[Filtered\])(?:\\?"[^"]{0,512}"|'[^']{0,512}'|[^\s"'&,;)}\]]{1,512})/y;

/** Removes the values of the operator's keys from a text. */
export function scrubOwnKeys(text: string): string {
  if (ownKeys.size === 0) return text;
  let result = '';
  let done = 0;
  nameInText.lastIndex = 0;
  for (let match = nameInText.exec(text); match; match = nameInText.exec(text)) {
    if (match[2] === undefined || !ownKeys.has(normaliseKey(match[1] ?? ''))) continue;
    valueInText.lastIndex = nameInText.lastIndex;
    if (!valueInText.test(text)) continue;
    result += `${text.slice(done, nameInText.lastIndex)}[Filtered]`;
    done = valueInText.lastIndex;
    nameInText.lastIndex = done;
  }
  return result + text.slice(done);
}
