import 'server-only';

import type { ServerResponse } from 'node:http';

import type { PrerenderedFile, RequestHeaders } from '#src/http/request-context.ts';

/** A GET of a file of the build, by its exact path and without a query, before Hono makes a request object of it. */
export type FileRequest = {
  /** As it came. It has no character that could be written in another way. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  /** Set for pages and their payloads. */
  readonly prerendered: PrerenderedFile | undefined;
  readonly outgoing: ServerResponse;
};

export type FilePass = {
  /** Names and values in turn, in addition to the file's own headers and the security headers. */
  readonly headers: readonly string[];
  /** Called when the answer was written to the socket. */
  readonly onAnswered?: (status: number) => void;
};

/**
 * Whether a file may be sent at once. Undefined does not refuse it: the request then goes through every middleware,
 * which decides and may refuse.
 */
export type AdmitFile = (request: FileRequest) => FilePass | undefined | Promise<FilePass | undefined>;
