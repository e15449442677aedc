import type { BrowserBreadcrumb } from './breadcrumbs.ts';

/** Fields of the event, in Sentry's words. */
export type Addition = {
  readonly fingerprint?: readonly string[];
  readonly extra: Readonly<Record<string, object>>;
};

/** An error in the browser, with what is known of it at its moment: it may be reported much later. */
export type BrowserError = {
  readonly error: unknown;
  /** Which side failed, and the digest that a person was shown, where one was. */
  readonly identity: { readonly side: 'server' | 'browser'; readonly digest?: string | undefined };
  /** Milliseconds since 1970. */
  readonly time: number;
  /** How it became known. `console`: something wrote the error there, as React does with what a boundary caught. */
  readonly mechanism: 'caught' | 'uncaught' | 'recoverable' | 'window' | 'promise' | 'console' | 'policy';
  readonly componentStack: string | undefined;
  /** Where it happened, without the query's values. */
  readonly url: string;
  /** What was found out about it later. */
  readonly more?: Addition | undefined;
  /** What happened before it. */
  readonly breadcrumbs: readonly BrowserBreadcrumb[];
};

/** What is the same in every report of a document. */
export type Sender = {
  readonly traceId: string;
  readonly dsn?: string | undefined;
  readonly environment?: string | undefined;
  readonly release?: string | undefined;
  /** Of what wrote the report. */
  readonly name?: string | undefined;
};
