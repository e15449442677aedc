import 'server-only';

import { isIPv4, isIPv6 } from 'node:net';

import { type Around, replaceAround } from './replace-around.ts';

/**
 * Removes from a report what no error needs: credentials, and what identifies a person. The SDKs are told not to
 * collect it. But a message, a console line or a URL may hold anything that somebody put into it, and anyone can post a
 * report. So every text passes here before it reaches the disk.
 *
 * The rules are Relay's defaults, with checks (Luhn, IBAN's remainder) so that build numbers and digests stay. It is a
 * best effort: a secret in plain words stays when its field is not named like a secret.
 *
 * The text is hostile and long, so the work per character must not depend on the text around it. Each expression here
 * does one of three things: it begins with something rare, it consumes what it looked at even when it leaves the text
 * as it is, or it looks ahead a few characters at most. A pattern that can do none of these is found from its mark:
 * replace-around.ts. text-budget.ts says how much text of a report is scrubbed.
 */
export const filtered = '[Filtered]';

/**
 * The value of a key of this kind is always removed. The list is Relay's and the SDK's, without the bare word `key`.
 */
const secretKey =
  /auth|token|secret|session|passw|pwd|credential|cookie|csrf|xsrf|jwt|bearer|saml|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|^sid$|^otp$|two[-_]factor|^sso/i;
/**
 * What a person typed or sent, or who they are. `arguments` are those of a console call; its text is in the message
 * already.
 */
const personalKey =
  /e-?mail|phone|^ip$|ip_?addr|remote_?addr|forwarded|client_?ip|^user|body|headers|payload|^arguments$/i;

export function isSensitiveKey(key: string): boolean {
  return secretKey.test(key) || personalKey.test(key);
}

const assignment =
  /((?:passw(?:or)?d|passwd|pwd|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credentials?)["']?\s{0,3}[:=]\s{0,3})("[^"]{0,512}"|'[^']{0,512}'|[^\s"'&,;)}\]]{1,512})/gi;
const authorization =
  /\b(authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:basic|bearer|digest|token)\s{1,3})?[^\s"',;]{1,2048}/gi;
const bearer = /\b(bearer\s{1,3})[\w.~+/=-]{8,2048}/gi;
/**
 * Matches with or without the two parts that make it a token: a run of text with a hundred such beginnings is read
 * once, and left as it is.
 */
const possibleWebToken = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g;
const pemBlock = /-----BEGIN [A-Z ]{1,40}-----[^]*?(?:-----END [A-Z ]{1,40}-----|$)/g;
/** `scheme://user:password@`. */
const urlCredentials: Around = {
  mark: '://',
  isBefore: (character) => /[a-z\d+.-]/i.test(character),
  beforeLimit: 21,
  mayBegin: (text, index) => /[a-z]/i.test(text.charAt(index)) && !/\w/.test(text.charAt(index - 1)),
  after: /[^\s/?#"']{1,256}@/y,
  replacement: (scheme) => `${scheme}://${filtered}@`,
};
const queryOrFragment = /[?#][^\s"'<>()?#]{1,8192}/g;

const valueWithoutName = /(?<=[?#&])[^&=]+(?=&|$)/g;

function dropQueryValues(part: string): string {
  return part.includes('=') ? part.replace(valueWithoutName, filtered).replace(/=[^&]*/g, '') : part;
}

/** Removes credentials, and the values in the queries of URLs. What a developer needs of a message stays. */
export function scrubSecrets(text: string): string {
  return replaceAround(text.replace(pemBlock, filtered), urlCredentials)
    .replace(queryOrFragment, dropQueryValues)
    .replace(authorization, `$1${filtered}`)
    .replace(bearer, `$1${filtered}`)
    .replace(possibleWebToken, (match, rest: string | undefined) => (rest === undefined ? match : filtered))
    .replace(assignment, `$1${filtered}`);
}

/** `name@host.tld`, with the lengths that an address may have. */
const email: Around = {
  mark: '@',
  isBefore: (character) => /[\w.+-]/.test(character),
  beforeLimit: 64,
  mayBegin: () => true,
  after: /[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/y,
  replacement: () => '[email]',
};
const possibleIpv4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g;
const possibleIpv6 = /(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,8}(?:\.\d{1,3}){0,3}(?![\w:])/gi;
const possibleCard = /(?<![\w-])(?:3[47]|4\d|5[1-5]|2[2-7]|6[05])\d{2}(?:[ -]?\d){9,15}(?![\w-])/g;
const possibleIban = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g;
const socialSecurity = /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/g;
const homeFolder = /(\/home\/|\/Users\/|[A-Z]:\\Users\\)[^\s/\\"':)]{1,64}/g;

/** Luhn's check digit. A number that fails the check is a phone number, a price or a build. */
function isCardNumber(text: string): boolean {
  let sum = 0;
  const digits = text.replace(/\D/g, '');
  for (const [index, digit] of [...digits].toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** ISO 13616: letters as numbers, the first four characters last, remainder 1 by 97. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '');
  if (plain.length < 15 || plain.length > 34) return false;
  let remainder = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

function scrubPersonal(text: string): string {
  return replaceAround(text, email)
    .replace(possibleIpv4, (match) => (isIPv4(match) ? '[ip]' : match))
    .replace(possibleIpv6, (match) => (/\d/.test(match) && isIPv6(match) ? '[ip]' : match))
    .replace(possibleIban, (match) => (isIban(match) ? filtered : match))
    .replace(possibleCard, (match) => (isCardNumber(match) ? filtered : match))
    .replace(socialSecurity, filtered);
}

/** Removes credentials and what identifies a person: addresses, numbers of cards and accounts, user names in paths. */
export function scrubText(text: string): string {
  return scrubPersonal(scrubSecrets(text)).replace(homeFolder, '$1[user]');
}

/**
 * The path of a URL, or of something that looks like one, without host and query. Empty when it is neither. A route may
 * begin with `/home/`, so the rule for home folders does not apply to paths.
 */
export function scrubPath(url: string): string {
  // A transaction's name may be anything. It is a path only when it begins like one.
  const parsed = url.startsWith('/') ? URL.parse(url, 'http://relative.invalid') : URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? scrubPersonal(scrubSecrets(parsed.pathname)) : '';
}

/** A details view shows only a few; the SDK sends at most a dozen. */
const entriesKept = 20;
/** The SDK cuts at depth 3 as well. */
const depthLimit = 3;
/** An object of a megabyte is not read to its end to find twenty entries. */
const nodesLimit = 200;
const keyLimit = 64;
const valueLimit = 512;

/** A longer name is not a name, and its value is removed unread. */
const nameLimit = 256;

type Scrub = (text: string, limit: number) => string;

/**
 * Any JSON as flat text for a details view: `{a: {b: 1}}` becomes `{'a.b': '1'}`. Values of sensitive keys are
 * filtered.
 * @param scrub cuts and scrubs
 */
export function scrubData(
  value: unknown,
  scrub: Scrub = (text, limit) => scrubText(text.slice(0, limit)),
): Record<string, string> {
  const entries = new Map<string, string>();
  const open: { readonly key: string; readonly value: unknown; readonly depth: number }[] = [
    { key: '', value, depth: 0 },
  ];
  for (let nodes = 0; nodes < nodesLimit && entries.size < entriesKept; nodes += 1) {
    const node = open.shift();
    if (!node) break;
    if (node.value === null || node.value === undefined) continue;
    if (typeof node.value !== 'object') {
      if (node.key !== '') entries.set(node.key, scrub(String(node.value), valueLimit));
    } else if (node.depth >= depthLimit) {
      entries.set(node.key, Array.isArray(node.value) ? '[Array]' : '[Object]');
    } else {
      for (const [name, child] of Object.entries(node.value).slice(0, nodesLimit)) {
        const key = scrub(node.key === '' ? name : `${node.key}.${name}`, keyLimit);
        if (name.length > nameLimit || isSensitiveKey(name)) entries.set(key, filtered);
        else open.push({ key, value: child, depth: node.depth + 1 });
      }
    }
  }
  return Object.fromEntries([...entries].slice(0, entriesKept));
}
