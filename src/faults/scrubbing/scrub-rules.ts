import 'server-only';

import { isIPv4, isIPv6 } from 'node:net';

import { isQueryFlag } from '#src/server/http/query-flag.ts';

import { type Around, replaceAround } from './replace-around.ts';
import { scrubOwnKeys } from './scrub-keys.ts';

/**
 * What is removed from texts, in this order. The rules are Relay's defaults, with checks (Luhn, IBAN's remainder) so that build
 * numbers and digests stay.
 *
 * The text is hostile and long, so the work per character must not depend on the text around it. Each expression here
 * does one of three things: it begins with something rare, it consumes what it looked at even when it leaves the text
 * as it is, or it looks ahead a few characters at most. A pattern that can do none of these is found from its mark:
 * replace-around.ts. text-budget.ts says how much text of a report is scrubbed.
 *
 * A text that was scrubbed is not changed by a second time: what is stored can be scrubbed again when there are new rules.
 */
export const filtered = '[Filtered]';

export type ScrubRule = {
  readonly name: string;
  /** For a page: what the rule replaces is computed from it. */
  readonly example: string;
  /** `browsers`: texts of servers keep it, because it is often the cause. */
  readonly of: 'all' | 'browsers';
  readonly replace: (text: string) => string;
};

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

/** Of a script's place in a stack: `app.js?4f2a:12:7`. */
const position = /:\d{1,9}:\d{1,9}$/;

/** Where one of the names would be taken for a value by itself, all keep their `=`. */
function dropNamedValues(query: string): string {
  let [flags, names, areFlags] = ['', '', true];
  for (let start = 0; start <= query.length;) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    const part = query.slice(start, end);
    const at = part.indexOf('=');
    const name = at === -1 ? part && filtered : part.slice(0, at);
    const between = next === -1 ? '' : '&';
    flags += name + between;
    names += (at === -1 ? name : `${name}=`) + between;
    areFlags &&= at <= 0 || isQueryFlag(name);
    start = end + 1;
  }
  return areFlags ? flags : names;
}

/** Whether a question mark begins a query: behind a path, or at the beginning of a word. In prose it stands at a word's end. */
function isBehindPath(text: string, at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const character = text.charAt(index);
    if (character === '/') return true;
    if (/[\s"'<>()?#]/.test(character)) return index === at - 1 && !/[?#]/.test(character);
  }
  return at === 0;
}

function dropQueryValues(match: string, offset: number, text: string): string {
  const [mark, query] = [match.charAt(0), match.slice(1)];
  if (query.includes('=')) return `${mark}${dropNamedValues(query)}`;
  if (mark === '#' || !isBehindPath(text, offset)) return match;
  const place = position.exec(query)?.[0] ?? '';
  const parts = query.slice(0, query.length - place.length).split('&');
  const kept = parts.map((part) => (isQueryFlag(part) || !/[\p{L}\p{N}]/u.test(part) ? part : filtered));
  return `${mark}${kept.join('&')}${place}`;
}

/**
 * A key of Stripe, GitHub, GitLab, Slack, npm, AWS, SendGrid, OpenAI, Anthropic, Shopify or Grafana, by its beginning and
 * its length. Digits of its part that is random tell it from a name.
 */
const providerKey =
  /(?<![A-Za-z\d])(?:[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox[aboprs]-|npm_(?=[A-Za-z\d]{30})|SG\.|sk-(?:ant-|proj-|(?=[A-Za-z\d]{40}))|shp(?:at|ca|pa|ss)_|gl(?:c|sa)_|whsec_|dop_v1_|AIza(?=[\w-]{35})|hf_(?=[A-Za-z]{30})|A[KS]IA(?=[A-Z\d]{16}(?!\w)))(?=[\w.-]{0,40}\d|[A-Za-z]{30})[\w.-]{16,}/g;
/** To the end of its line: a scheme may be any word, and a signature has commas. */
const authorization = /\b(authorization\\?["']?\s{0,8}(?:=>|[:=])\s{0,8}\\?["']?)[^\r\n"'\\]+/gi;
const cookieHeader = /\b((?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?)[^\r\n"']+/gi;
const bearer = /\b(bearer\s{1,3})[\w.~+/=-]{8,}/gi;
/**
 * Matches with or without the two parts that make it a token: a run of text with a hundred such beginnings is read
 * once, and left as it is.
 */
const possibleWebToken = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g;
/** `auth:` and `session:` begin many messages that are about them. */
const assignment =
  /((?:passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credentials?|sess(?:ion)?[-_]?id|[cx]srf|jwt|\b(?:sid|otp)|(?:\b|_)pass(?=["']?=)|(?:auth|session)(?=["']?=|["']\s{0,3}:))\\?["']?\s{0,8}(?:=>|[:=])\s{0,8})(?!\[Filtered\])(?:\\"[^"\\]{0,8192}\\"|"[^"]{0,8192}"|'[^']{0,8192}'|["']?[^\s"'&,;)}\]]+)/gi;

/** A variable of the environment. In small letters it is a key of a table as often. */
const variable = /\b([A-Z][A-Z\d_]{1,100}_KEY=)(?!\[Filtered\])[^\s"'&,;)}\]]+/g;

/** An option of a command, an element of XML, a pair in a list: what stands behind such a name is its value. */
const namedOtherwise =
  /(--(?:passw(?:or)?d|passwd|token|secret|api-?key)\s{1,3}|<(?:passw(?:or)?d|passwd|token|secret|api-?key)>|(?<quote>["'])(?:passw(?:or)?d|passwd|secret|(?:access|auth|refresh)?_?token|api[-_]?key|authorization)\k<quote>\s{0,3},\s{0,3}["'])(?!\[Filtered\])[^\s"'<]+/gi;

/**
 * `name@host.tld`, with the lengths that an address may have. The last part has letters alone at its beginning: `react@19.2.0` is a
 * version in a path.
 */
const email: Around = {
  mark: '@',
  isBefore: (character) => /[\w.+-]/.test(character),
  beforeLimit: 64,
  mayBegin: () => true,
  // A file in a folder that begins with `@`, as those of parallel routes do, is none.
  after: /(?:[\w-]{1,63}\.){1,8}(?!(?:[cm]?[jt]sx?|css|map|json)\b)[a-z]{2}[a-z\d-]{0,61}/iy,
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

/** Keeps the name, which is the first group. */
function filterNamed(text: string, pattern: RegExp): string {
  return text.replace(pattern, `$1${filtered}`);
}

/**
 * What a text must have for any rule to change it: a few characters, which most short texts do not have (`http`, `GET`, `loaded 12
 * orders`). A breadcrumb is a dozen such texts, and reading each once instead of once for each rule is most of its cost. A new rule
 * adds what it needs; a test compares with the rules alone.
 */
const mayMatch =
  /[:=@]|\?\S|\d{4}|\d[-.]\d|[A-Z]{2}\d{2}|eyJ|[_-][\w.-]{16}|sk-|SG\.|A[KS]IA|AIza|--[a-zA-Z]|<[a-zA-Z]|["'],|[Bb][Ee][Aa][Rr][Ee][Rr]\s|-----BEGIN |\/(?:home|Users)\//;

export function applyRules(rules: readonly ScrubRule[], text: string): string {
  return mayMatch.test(text) ? rules.reduce((scrubbed, rule) => rule.replace(scrubbed), text) : text;
}

export const homeFolders: ScrubRule = {
  name: 'user names in paths of files',
  example: 'ENOENT: /home/jane/app/config.json',
  of: 'browsers',
  replace: (text) => text.replace(homeFolder, '$1[user]'),
};

export const scrubRules: readonly ScrubRule[] = [
  {
    name: 'private keys',
    example: '-----BEGIN PRIVATE KEY----- MIIEvQ -----END PRIVATE KEY-----',
    of: 'all',
    replace: (text) => text.replace(pemBlock, filtered),
  },
  {
    name: 'names and passwords in addresses',
    example: 'postgres://app:hunter2@db:5432/shop',
    of: 'all',
    replace: (text) => replaceAround(text, urlCredentials),
  },
  {
    name: 'values in queries and fragments of addresses',
    example: 'GET /reset?code=8813&lang=en 500',
    of: 'all',
    replace: (text) => text.replace(queryOrFragment, dropQueryValues),
  },
  {
    name: 'Authorization headers',
    example: 'Authorization: Basic dXNlcjpwYXNz',
    of: 'all',
    replace: (text) => text.replace(authorization, `$1${filtered}`),
  },
  {
    name: 'cookies',
    example: 'Cookie: phpsessid=298zf09hf012fh2; theme=dark',
    of: 'all',
    replace: (text) => text.replace(cookieHeader, `$1${filtered}`),
  },
  {
    name: 'bearer tokens',
    example: 'sent Bearer abcdef0123456789',
    of: 'all',
    replace: (text) => text.replace(bearer, `$1${filtered}`),
  },
  {
    name: 'JSON web tokens',
    example: 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_-def',
    of: 'all',
    replace: (text) =>
      text.replace(possibleWebToken, (match, rest: string | undefined) => (rest === undefined ? match : filtered)),
  },
  {
    name: 'keys of providers, by their beginning',
    example: 'charged with sk_test_4eC39HqLyjWDarjtT1zdp7dc',
    of: 'all',
    replace: (text) => text.replace(providerKey, filtered),
  },
  {
    name: 'passwords, tokens, keys and sessions by their name',
    example: 'login failed: password=hunter2, sid: 77',
    of: 'all',
    replace: (text) => [assignment, variable, namedOtherwise].reduce(filterNamed, text),
  },
  {
    name: 'values of your own keys',
    example: 'customer_no=4711 has no basket',
    of: 'all',
    replace: scrubOwnKeys,
  },
  {
    name: 'e-mail addresses',
    example: 'no user jane.doe@mail.example.org',
    of: 'all',
    replace: (text) => replaceAround(text, email),
  },
  {
    name: 'IP addresses',
    example: 'from 192.168.10.7 and 2001:db8::8a2e:370:7334',
    of: 'browsers',
    replace: (text) =>
      text
        .replace(possibleIpv4, (match) => (isIPv4(match) ? '[ip]' : match))
        .replace(possibleIpv6, (match) => (/\d/.test(match) && isIPv6(match) ? '[ip]' : match)),
  },
  {
    name: 'bank accounts (IBAN)',
    example: 'to DE89 3704 0044 0532 0130 00 failed',
    of: 'all',
    replace: (text) => text.replace(possibleIban, (match) => (isIban(match) ? filtered : match)),
  },
  {
    name: 'card numbers',
    example: 'card 4111 1111 1111 1111 declined',
    of: 'all',
    replace: (text) => text.replace(possibleCard, (match) => (isCardNumber(match) ? filtered : match)),
  },
  {
    name: 'US social security numbers',
    example: 'ssn 078-05-1120',
    of: 'all',
    replace: (text) => text.replace(socialSecurity, filtered),
  },
  homeFolders,
];
