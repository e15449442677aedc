import type { Breadcrumb } from '../breadcrumb.ts';

/**
 * An error of another app, as it is sent to `POST /api/<app>/errors`. docs/error-format.md describes each field for others who
 * send one. Whoever builds one runs inside other people's apps or reads their output, so this room imports little.
 */
export type AppErrorFrame = {
  /** Empty where the source has no name for it. */
  readonly fn: string;
  /** As the stack has it: the built file. */
  readonly file: string;
  /** Of the source when `source` is there, else of `file`. From 1, as `column`. */
  readonly line: number;
  readonly column: number;
  /** The source's path from the project's root, with `/`. */
  readonly source?: string;
  /** Code of the project itself: not a dependency, not Node. */
  readonly inApp: boolean;
  readonly context?: { readonly firstLine: number; readonly lines: readonly string[] };
};

/**
 * `route`: a route handler. `proxy`: Next's proxy or middleware. `document`: before a stream began. `page-data`: data that a page
 * fetched. `process`: nobody caught it. `unknown`: found in the app's output, which does not say it.
 */
export const appPhases = [
  'rsc',
  'ssr',
  'action',
  'route',
  'proxy',
  'document',
  'page-data',
  'process',
  'unknown',
] as const;
/** `background`: in no request. */
export const appKinds = [
  'document',
  'navigation',
  'prefetch',
  'navigation-or-prefetch',
  'action',
  'slice',
  'other',
  'background',
  'unknown',
] as const;
/** Who noticed it. The receiver stores one row for an error that was reported from inside and also found in the output. */
export const reporters = ['next', 'rsc', 'waku', 'log', 'other'] as const;

export type AppErrorCause = {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Innermost first. The maps of an app's server are beside its bundles, and nowhere else. */
  readonly frames?: readonly AppErrorFrame[] | undefined;
};

export type AppError = {
  /** 32 hex characters, chosen by the sender: the same event sent twice is stored once. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly reporter: (typeof reporters)[number];
  /** What the error page shows: up to 64 printable characters. */
  readonly digest?: string | undefined;
  /** `next`, `react-router` … */
  readonly framework?: string | undefined;
  readonly phase?: (typeof appPhases)[number] | undefined;
  readonly kind?: (typeof appKinds)[number] | undefined;
  /** The route's pattern, as its framework names it. */
  readonly route?: string | undefined;
  readonly request?:
    | {
        readonly method?: string | undefined;
        /** Without the values of its query. */
        readonly path?: string | undefined;
        readonly id?: string | undefined;
        readonly traceId?: string | undefined;
      }
    | undefined;
  readonly release?: string | undefined;
  /** `Node 24.21.0` */
  readonly runtime?: string | undefined;
  readonly name: string;
  readonly message: string;
  /** As it was thrown, before source maps. */
  readonly stack?: string | undefined;
  /** Innermost first. */
  readonly frames?: readonly AppErrorFrame[] | undefined;
  /** `error.cause`, outermost first. */
  readonly causes?: readonly AppErrorCause[] | undefined;
  readonly componentStack?: string | undefined;
  /** Oldest first. */
  readonly breadcrumbs?: readonly Breadcrumb[] | undefined;
};

/** Random: two senders never choose the same. */
export function mintEventId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
