import type { Framework } from '#flight';

import type { StoredFlight } from '../flight/flight-columns.ts';
import type { Policy } from '#src/apps/policy.ts';

/**
 * One request to another app and its answer, on the way from the thread that forwards it to the one that writes. Headers are here
 * because the writer recognises by them; none of them is stored.
 */
export type ExchangeFacts = {
  readonly app: string;
  readonly requestId: string;
  /** What is recorded of this app. The writer decides, since only the body shows whether an answer failed. */
  readonly policy: Policy;
  /** What the operator calls the version that runs; empty where they do not say. An answer that names its build knows better. */
  readonly release: string;
  readonly method: string;
  readonly target: string;
  readonly look: RequestLook;
  /** Those that say something, by their names in lower case. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** 0: there was no answer. */
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly peer: string;
  readonly startedAt: number;
  readonly durationMs: number;
  /** `begun`: a page or a navigation was asked for, and nothing is known of its answer yet. The same request comes again at its end. */
  readonly outcome: 'begun' | 'complete' | 'broken' | 'left';
  /** Of the answer's body, as it was sent. `body` may be the beginning of it. */
  readonly sentBytes: number;
  /** Of the request's body, of which `args` may be the beginning. */
  readonly requestBytes: number;
};

/** What a request looks like, by its method, its target and its headers alone. */
export type RequestLook = {
  /** Null where others send the same. The payload may say it. */
  readonly framework: Framework | null;
  /** Null: the answer decides. */
  readonly kind: StoredFlight['kind'] | null;
  /** The page's, without what a framework adds to it and without a query. */
  readonly path: string;
  /** What the client says it calls. */
  readonly actionId: string | null;
};

export type Exchange = {
  readonly facts: ExchangeFacts;
  /** Milliseconds since the request began, and bytes, of each chunk of `body`: in turn, in one list. */
  readonly times: readonly number[];
  readonly body: Uint8Array;
  /** The request's body where it may be an action's arguments. */
  readonly args: Uint8Array;
};
