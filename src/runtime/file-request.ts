import 'server-only';

import type { ServerResponse } from 'node:http';

import type { PrerenderedFile, RequestHeaders } from '#src/http/request-context.ts';

/** A GET of a file of the build, by exactly its path and without a query, before Hono makes an object of it. */
export type FileRequest = {
  /** As it came; it has no character that could be spelled in another way. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  /** Of pages and their payloads. */
  readonly prerendered: PrerenderedFile | undefined;
  readonly outgoing: ServerResponse;
};

export type FilePass = {
  /** Names and values in turn, beside the file's own and the security headers. */
  readonly headers: readonly string[];
  /** Called when the answer was handed to the socket. */
  readonly onAnswered?: (status: number) => void;
};

/**
 * Whether a file may be sent at once. Undefined is no refusal: the request goes through every middleware then, which
 * decides, and says no where it must.
 */
export type AdmitFile = (request: FileRequest) => FilePass | undefined | Promise<FilePass | undefined>;
