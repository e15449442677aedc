import type { ServerResponse } from 'node:http';

import type { PrerenderedFile, RequestContext, RequestHeaders } from './request-context.ts';

/**
 * What a middleware does for a file of the build that the host sends by itself, without Hono: Hono's objects and header
 * lists cost several times such an answer. Each middleware has one of these beside it, and the server lists the two
 * together (src/waku.server.tsx), so that neither is without the other.
 *
 * A rule only ever lets a file through. Where a middleware would refuse it or change it, the rule says no, and the request
 * goes through all middlewares, which decide again. reliability/files.test.ts compares both ways on every file of the build.
 */
export type FileRule = {
  /** Paths that the middleware answers itself. A file at one of them is never sent. Asked once, at the start. */
  readonly answers?: (path: string) => boolean;
  /** What the middleware adds to the headers of every file. Called once for each variant of a file. */
  readonly prepare?: (headers: Headers) => void;
  /**
   * Whether the middleware would let this request pass. It changes nothing but `file`: a rule behind it may still send the
   * request to the middlewares.
   */
  readonly admits?: (file: FileInFlight) => boolean | Promise<boolean>;
  /** Called when every rule has let it through. What it returns is called once the answer was handed to the socket. */
  readonly send?: (file: FileInFlight) => void | ((status: number, sentBytes: number) => void);
};

/** A GET of a file of the build, by exactly its path and without a query, before Hono makes an object of it. */
export type FileInFlight = {
  /** As it came; it has no character that could be spelled in another way. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly address: () => string;
  /** Of pages and their payloads. */
  readonly prerendered: PrerenderedFile | undefined;
  readonly outgoing: ServerResponse;
  /**
   * Of pages and their payloads. Other files are the same for everybody and are not recorded: they have none, because it
   * would cost more than the answer.
   */
  context: RequestContext | undefined;
  /** Names and values in turn, beside what was prepared. */
  readonly answerHeaders: string[];
};

/** For a middleware that answers at these paths and lets everything else pass. */
export function answersAt(...paths: readonly string[]): FileRule {
  return { answers: (path) => paths.includes(path) };
}
