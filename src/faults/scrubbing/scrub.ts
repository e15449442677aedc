import 'server-only';

import { decodeSpelling, isSpelled } from '#src/server/http/decode-spelling.ts';

import { isSensitiveKey } from './scrub-keys.ts';
import { applyRules, filtered, homeFolders, type ScrubRule, scrubRules } from './scrub-rules.ts';

/**
 * Removes from a report what no error needs: credentials, and what identifies a person. The SDKs are told not to
 * collect it. But a message, a console line or a URL may hold anything that somebody put into it, and anyone can post a
 * report. So every text passes here before it reaches the disk.
 *
 * scrub-rules.ts has the rules for texts, scrub-keys.ts those for names of values. It is a
 * best effort: a secret in plain words stays when its field is not named like a secret.
 */
export { filtered, isSensitiveKey };

const rulesForServers = scrubRules.filter((rule) => rule.of === 'all');
const rulesForPaths = scrubRules.filter((rule) => rule !== homeFolders);

/** What ends a value. Decoded, a value with it inside would end too early. */
const ends = /[\s"'&,;)}\]]/;

/**
 * By the rules, then by what the text says when it is decoded: `%70assword%3Dhunter2`. A text in which nothing is found stays as it is
 * spelled. First what ends a value stays spelled, else the rest of `password%3Da%20b` would be left.
 */
function scrubBy(rules: readonly ScrubRule[], text: string): string {
  let scrubbed = applyRules(rules, text);
  if (!isSpelled(scrubbed)) return scrubbed;
  let readBefore = scrubbed;
  for (const stays of [ends, undefined]) {
    const read = decodeSpelling(scrubbed, stays);
    if (read === readBefore) continue;
    readBefore = read;
    const again = applyRules(rules, read);
    if (again !== read) scrubbed = again;
  }
  return scrubbed;
}

/**
 * For texts of servers: removes credentials, the values in the queries of URLs, and what identifies a person. The addresses and
 * paths of machines stay, because they are often the cause.
 */
export function scrubSecrets(text: string): string {
  return scrubBy(rulesForServers, text);
}

/** For texts of strangers: the same, and addresses of machines and user names in paths. */
export function scrubText(text: string): string {
  return scrubBy(scrubRules, text);
}

/**
 * The path of a URL, or of something that looks like one, without host and query. Empty when it is neither. A route may
 * begin with `/home/`, so the rule for home folders does not apply to paths.
 */
export function scrubPath(url: string): string {
  // A transaction's name may be anything. It is a path only when it begins like one.
  const parsed = url.startsWith('/') ? URL.parse(url, 'http://relative.invalid') : URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return '';
  return scrubBy(rulesForPaths, parsed.pathname);
}

/**
 * A route's pattern, or a transaction's name, which may be anything. What looks like a query goes; the `?` of an optional segment stays.
 */
export function scrubRoute(route: string): string {
  const pattern = route.replace(/\?(?=[^/?]*=)[^]*$/, '');
  return pattern.split('?').map(scrubSecrets).join('?');
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

/** A header or a field as a pair: `['password', '…']`, `{ name: 'password', value: '…' }`. */
function isNamedSecret(value: object): boolean {
  const name: unknown = Array.isArray(value)
    ? value.length === 2 && value[0]
    : 'value' in value && (('name' in value && value.name) || ('key' in value && value.key));
  return typeof name === 'string' && (name.length > nameLimit || isSensitiveKey(name));
}

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
    } else if (isNamedSecret(node.value)) {
      entries.set(node.key, filtered);
    } else if (node.depth >= depthLimit) {
      entries.set(node.key, Array.isArray(node.value) ? '[Array]' : '[Object]');
    } else {
      for (const name of Object.keys(node.value).slice(0, nodesLimit)) {
        const child: unknown = Reflect.get(node.value, name);
        const key = scrub(node.key === '' ? name : `${node.key}.${name}`, keyLimit);
        if (name.length > nameLimit || isSensitiveKey(name)) entries.set(key, filtered);
        else open.push({ key, value: child, depth: node.depth + 1 });
      }
    }
  }
  return Object.fromEntries([...entries].slice(0, entriesKept));
}
