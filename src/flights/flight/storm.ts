/**
 * One tab that asks for the same again and again, some hundred times a minute: a page that loads itself, a link that is prefetched each
 * time it is drawn. One row for each tab and route, with what it has cost so far.
 */
export type Storm = {
  readonly app: string;
  /** The visit. */
  readonly tab: string;
  /** That it asks for most. */
  readonly route: string;
  /** The path of the page that asks; empty where nothing says it. */
  readonly page: string;
  readonly requests: number;
  /** Of how many it is known what was sent, and how much that was. */
  readonly sized: number;
  readonly bytes: number;
  /** How many were prefetches for certain, and their part of the bytes. */
  readonly prefetches: number;
  readonly prefetchBytes: number;
  /** How many may have been. */
  readonly unsure: number;
  /** Requests of the busiest second. */
  readonly peak: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the last of them. */
  readonly requestId: string;
};

export type StoredStorm = Omit<Storm, 'prefetchBytes' | 'firstAt' | 'lastAt' | 'requestId'> & {
  prefetch_bytes: number;
  first_at: number;
  last_at: number;
  request_id: string;
};

/** Of one app. What then other tabs ask is counted together. */
export const stormsKept = 300;
export const otherTabs = 'other tabs';
