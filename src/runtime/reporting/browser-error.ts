import type { IdentifiedError } from '../errors/browser-digest.ts';
import type { BrowserBreadcrumb } from './browser-breadcrumbs.ts';

/** An error in the browser, with what is known of it at its moment: it may be reported much later. */
export type BrowserError = {
  readonly error: unknown;
  readonly identity: IdentifiedError;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly mechanism: 'caught' | 'uncaught' | 'recoverable' | 'window' | 'promise';
  readonly componentStack: string | undefined;
  /** Where it happened, without the query's values. */
  readonly url: string;
  /** What happened before it. */
  readonly breadcrumbs: readonly BrowserBreadcrumb[];
};
