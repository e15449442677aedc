import type { ServerErrorRecord } from '#src/runtime/errors/error-record.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { ErrorTable } from '#src/store/schema.ts';

/** One line of a list of errors. */
export type ErrorSummary = {
  /** Of a server error: the row's key. Of a browser's: the event's id. */
  readonly id: string;
  /** Null where the framework showed none. */
  readonly digest: string | null;
  readonly app: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly side: 'server' | 'browser';
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
  readonly side: 'server' | 'browser';
  /** `fetch`, `navigation`, `ui.click`, `console` …, as the SDK names it. */
  readonly category: string;
  readonly level: 'debug' | 'info' | 'warning' | 'error' | 'fatal';
  readonly message: string;
  /** Flat, already scrubbed, for a details view. */
  readonly data: Readonly<Record<string, string>>;
};

/** What a browser reported about the error with this digest. Anyone can post a report, so it is shown as a claim. */
export type BrowserReport = {
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
};

/** An error of a server: this one, or another app's. */
export type StoredError = Omit<ServerErrorRecord, 'digest' | 'phase' | 'kind' | 'grouping'> &
  Readonly<Pick<ErrorTable, 'id' | 'digest' | 'phase' | 'kind'>> & {
    readonly app: string;
    /** Null until its stack is understood. */
    readonly fault: string | null;
    /** The next three are empty for our own errors, and where a sender did not say. */
    readonly framework: string;
    /** The route's pattern. */
    readonly route: string;
    readonly runtime: string;
  };

/** Everything known about one error. At least one of `server` and `browser` is set. */
export type Incident = {
  readonly digest: string | null;
  readonly app: string;
  /** Our digests name one occurrence. Next.js makes them from message and stack: then they name a fault. */
  readonly names: 'occurrence' | 'fault';
  readonly fingerprint: string;
  readonly server: StoredError | undefined;
  readonly browser: readonly BrowserReport[];
  /** Breadcrumbs of both sides, oldest first. The error itself is not among them. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly occurrences: {
    readonly total: number;
    readonly firstTime: number;
    readonly lastTime: number;
    readonly bucketMs: number;
    /** Without gaps, oldest first, for a chart. */
    readonly buckets: readonly { readonly start: number; readonly count: number }[];
    /** The newest 20 at most, newest first, without this one. */
    readonly others: readonly ErrorSummary[];
  };
};

/** What the store holds, for a status page. */
export type StoredCounts = {
  readonly errors: number;
  readonly browserReports: number;
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
  /** The time of the oldest error or report. Undefined while there is none. */
  readonly oldestTime: number | undefined;
  readonly databaseBytes: number;
  /** Rows that are too old by the system's clock alone; see `src/store/age-clock.ts`. Milliseconds since 1970. */
  readonly waiting: { readonly rows: number; readonly until: number } | undefined;
};
