import type { ServerErrorRecord } from '#src/runtime/errors/error-record.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { EventRow, Level, Side } from '#src/store/schema.ts';

import type { Choice } from '../digests/choose-error.ts';
import type { PastDigest } from '../digests/find-past.ts';
import type { SaidWords } from '../event/said-words.ts';

/** One line of a list of errors. */
export type ErrorSummary = {
  /** `event.id` */
  readonly id: string;
  /** Null where the framework showed none. */
  readonly digest: string | null;
  readonly app: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly side: Side;
  readonly name: string;
  readonly message: string;
  /** `rsc`, `ssr`, `action` and so on for the server's errors, `browser` for the others. */
  readonly phase: string;
  readonly kind: string;
  readonly path: string;
};

export type Breadcrumb = {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** No time was sent: `time` is that of the breadcrumb beside it. */
  readonly isUntimed?: boolean;
  readonly side: Side;
  /** `fetch`, `navigation`, `ui.click`, `console` …, as the SDK names it. */
  readonly category: string;
  readonly level: 'debug' | 'info' | 'warning' | 'error' | 'fatal';
  readonly message: string;
  /** Flat, already scrubbed, for a details view. */
  readonly data: Readonly<Record<string, string>>;
};

/** What a browser reported about the error with this digest. Anyone can post an untrusted error, so it is shown as untrusted. */
export type BrowserError = {
  readonly eventId: string;
  readonly time: number;
  readonly path: string;
  readonly name: string;
  readonly message: string;
  readonly frames: readonly SourceFrame[];
  readonly componentStack: string | undefined;
  readonly userAgent: string | undefined;
  readonly release: string | undefined;
  readonly traceId: string | undefined;
  readonly causes: readonly Cause[];
  readonly said: Said;
};

/** One of the chain of causes. */
export type Cause = ServerErrorRecord['causes'][number] & {
  /** Innermost first; empty where its stack says none. */
  readonly frames: readonly SourceFrame[];
};

/** What a sender says of an error besides the error itself. */
export type Said = SaidWords & {
  readonly level: Level;
  /** Empty where it was not said. */
  readonly user: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, string>>;
};

/** An error of a server: this one, or another app's. */
export type StoredError = Omit<ServerErrorRecord, 'digest' | 'phase' | 'kind' | 'grouping' | 'causes'> &
  Readonly<Pick<EventRow, 'id' | 'digest' | 'phase' | 'kind'>> & {
    readonly app: string;
    readonly causes: readonly Cause[];
    readonly said: Said;
    /** The next three are empty for our own errors, and where a sender did not say. */
    readonly framework: string;
    /** The route's pattern. */
    readonly route: string;
    readonly runtime: string;
    /** The digest that it was printed with, where another error has it. */
    readonly printedDigest: string | null;
  };

/** An app's output has this error with the digest of another one that says something else. Either may be a visitor's text. */
export type PrintedToo = {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  /** Of one with this text: the first, or the latest. */
  readonly time: number;
};

/** The digest is of the message and the stack. Errors that have both, and another cause, are another fault. */
export type OtherFault = PrintedToo & { readonly cause: string };

/** Everything known about one error. At least one of `server` and `browser` is set. */
export type ErrorDetails = {
  readonly digest: string | null;
  readonly app: string;
  /** Our digests name one error. Next.js makes them from message and stack: then they name a fault. */
  readonly names: 'error' | 'fault';
  readonly fingerprint: string;
  /** Null until its stack is understood. */
  readonly fault: string | null;
  readonly server: StoredError | undefined;
  /** What browsers say of this very error. */
  readonly browser: readonly BrowserError[];
  /** What browsers say of an error with the same digest, where nothing tells whose it was: maybe another visitor's. */
  readonly maybe: readonly BrowserError[];
  /** Breadcrumbs of both sides, oldest first. The error itself is not among them. */
  readonly breadcrumbs: readonly Breadcrumb[];
  /** How many errors are kept under this digest; 1 where it names one. */
  readonly withDigest: number;
  /** Errors under this digest whose rows were deleted. Empty where it names one. */
  readonly past: readonly PastDigest[];
  /** Why it is this one, where a time or a page was named and the digest names several. */
  readonly choice: Choice | undefined;
  readonly printedToo: readonly PrintedToo[];
  /** Of each other fault that has this digest and this message, its latest error. */
  readonly otherFaults: readonly OtherFault[];
};

/** What the store holds, for a status page. */
export type StoredCounts = {
  readonly errors: number;
  readonly browserErrors: number;
  /** What was received but not kept, and what SDKs say they dropped themselves. The most frequent comes first. */
  readonly outcomes: readonly {
    /** Who dropped it. */
    readonly source: 'receiver' | 'client';
    readonly type: string;
    readonly reason: string;
    readonly count: number;
    readonly lastTime: number;
  }[];
  /** Server errors of this process that could not be written. Only the log has them. */
  readonly unstoredErrors: number;
  /** When the oldest error or report was received. Undefined while there is none. */
  readonly oldestTime: number | undefined;
  /** Which it is, with its version. */
  readonly database: string;
  readonly databaseBytes: number;
  /** Rows that are too old by the system's clock alone; see `src/store/age-clock.ts`. Milliseconds since 1970. */
  readonly waiting: { readonly rows: number; readonly until: number } | undefined;
};
