/**
 * What an app sends and should not: a secret, or an answer that caches give to others. One row for each place of a page, with a count, so
 * that a leak on a busy page is one row. The secret is not kept: whoever reads this learns where to look.
 */
export type Leak = {
  readonly app: string;
  /** A rule of `#flight`: of its secrets, or of its caches. */
  readonly rule: string;
  /** For people: `a secret key of Stripe`, `the value of DATABASE_URL`; of caches a sentence. */
  readonly name: string;
  /** Empty outside of elements, as the path is of caches. */
  readonly component: string;
  readonly path: string;
  readonly route: string;
  /** Responses. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The last of them. */
  readonly requestId: string;
};

export type StoredLeak = Omit<Leak, 'firstAt' | 'lastAt' | 'requestId'> & {
  first_at: number;
  last_at: number;
  request_id: string;
};

/** Of one app. What then is found elsewhere is counted together. */
export const leaksKept = 300;
export const otherRoutes = 'other routes';
