/**
 * What goes wrong with caches between an app and its visitors, judged by the headers of answers. Whoever looks from outside, and
 * whoever records, judges by this.
 */
export const cacheRules = ['cache-mixes', 'cache-vary-alone', 'cache-cookie', 'flight-as-page'] as const;
export type CacheRule = (typeof cacheRules)[number];

/** `title`: a sentence for people without its full stop. */
export type CacheFault = { readonly rule: CacheRule; readonly title: string };

/** The headers of an answer, as `Headers` has them. */
export type AnswerHeaders = { readonly get: (name: string) => string | null };

/** Directives of `cache-control` by their names, in lower case: RFC 9111, 5.2. */
function readDirectives(value: string | null): ReadonlyMap<string, string> {
  return new Map(
    (value ?? '').split(',').map((part) => {
      const [name = '', argument = ''] = part.trim().toLowerCase().split('=', 2);
      return [name, argument] as const;
    }),
  );
}

/** Whether a cache that many visitors share may keep an answer: RFC 9111, 3, and RFC 9213 for what CDNs read first. */
function isSharable(headers: AnswerHeaders): boolean {
  const targeted = headers.get('cdn-cache-control');
  const directives = readDirectives(targeted ?? headers.get('cache-control'));
  const forbids = ['no-store', 'private', 'no-cache'].some((name) => directives.has(name));
  if (forbids) return false;
  const seconds = Number(directives.get('s-maxage') ?? directives.get('max-age') ?? 0);
  return seconds > 0 || (directives.has('public') && seconds !== 0);
}

function readVary(headers: AnswerHeaders): readonly string[] {
  return (headers.get('vary') ?? '').split(',').map((name) => name.trim().toLowerCase());
}

/**
 * Page and payload at one address: a cache that leaves out what tells them apart sends one for the other.
 * @param askedBy the names of the headers that made the second one a payload, in lower case
 */
export function judgeTwoBodies(
  page: AnswerHeaders,
  payload: AnswerHeaders,
  askedBy: readonly string[],
): CacheFault | undefined {
  if (askedBy.length === 0 || (!isSharable(page) && !isSharable(payload))) return undefined;
  const missing = askedBy.filter((name) => [page, payload].some((headers) => !readVary(headers).includes(name)));
  const both = 'One address has a page and a payload, caches may keep both, and';
  return missing.length > 0
    ? { rule: 'cache-mixes', title: `${both} Vary does not name ${missing.join(', ')}` }
    : { rule: 'cache-vary-alone', title: `${both} Vary alone tells them apart` };
}

/** @param setsCookie whether the answer does */
export function judgeCookie(headers: AnswerHeaders, setsCookie: boolean): CacheFault | undefined {
  if (!setsCookie || !isSharable(headers)) return undefined;
  return { rule: 'cache-cookie', title: 'An answer that caches may keep for everybody sets a cookie' };
}

export const flightAsPage: CacheFault = {
  rule: 'flight-as-page',
  title: 'A page was asked for, and Flight came: visitors see raw text',
};

/** Next.js tells answers of one address apart by `_rsc` since 15. */
const next =
  'Let the CDN keep `_rsc` and `Vary` in its key, or update to Next.js 15, whose payloads have addresses of their own.';
const inGeneral = 'Let the CDN keep `Vary` in its key, or answer payloads with `cache-control: private`.';

/** What to set. @param framework by its name in `frameworks` */
export function adviseOnCaches(rule: CacheRule, framework: string | undefined): string {
  switch (rule) {
    case 'cache-mixes':
    case 'cache-vary-alone':
      return framework === 'next' ? next : inGeneral;
    case 'cache-cookie':
      return 'Answer with `cache-control: private` where a cookie is set, or set it elsewhere: one visitor’s cookie reaches others.';
    case 'flight-as-page':
      return 'A cache mixes the two: empty it, and let it keep what `Vary` names, and the query, in its key.';
  }
}

/** A CDN that keeps to `Vary` does no harm: that alone is a setting to look at, and everything else reaches visitors. */
export function isHarmful(rule: CacheRule): boolean {
  return rule !== 'cache-vary-alone';
}
