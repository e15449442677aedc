import { isFields } from '../file-fields.ts';

/** What an answer says to caches, and what was asked for: enough to judge it by. */
export type Caching = {
  /** Those of `cachingHeaders` that it had. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values of cookies are not kept. */
  readonly setsCookie: boolean;
  /**
   * The names of the request’s headers that asked for a payload at the address of its page, in lower case. Empty where the payload has
   * an address of its own. Null where a page was asked for.
   */
  readonly askedBy: readonly string[] | null;
};

/** RFC 9111, 9211 and 9213, and what Fastly, CloudFront, Varnish, Cloudflare, Vercel and Next.js say of their caches. */
export const cachingHeaders = [
  'cache-control',
  'cdn-cache-control',
  'surrogate-control',
  'vary',
  'age',
  'cache-status',
  'x-cache',
  'cf-cache-status',
  'x-vercel-cache',
  'x-nextjs-cache',
] as const;

/** Next.js names five headers in `vary`, some 120 characters. */
const longestHeader = 300;
/** No framework tells a payload by more than three. */
const mostNames = 10;
const longestName = 60;

/** @returns undefined for anything else. What is longer than it can be is cut. */
export function readCaching(value: unknown): Caching | undefined {
  if (!isFields(value)) return undefined;
  const { headers, setsCookie, askedBy } = value;
  if (!isFields(headers) || typeof setsCookie !== 'boolean') return undefined;
  if (askedBy !== null && !Array.isArray(askedBy)) return undefined;
  const kept = cachingHeaders.flatMap((name) => {
    const text = headers[name];
    return typeof text === 'string' ? [[name, text.slice(0, longestHeader)] as const] : [];
  });
  const names = askedBy?.slice(0, mostNames).flatMap((name: unknown) => {
    return typeof name === 'string' ? [name.slice(0, longestName)] : [];
  });
  return { headers: Object.fromEntries(kept), setsCookie, askedBy: names ?? null };
}
