import type { IncomingMessage, ServerResponse } from 'node:http';

export type GuardOptions = {
  /** What becomes of calls above 1 MiB, which nobody looks at. */
  readonly larger: 'pass' | 'refuse';
  /** Called for each request that is refused. Without it a line is written to the console, one a minute at most. */
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
};

export type RefusedCall = {
  /** Without a query. */
  readonly path: string;
  readonly reason: 'forged' | 'too long';
};

export type Guard = {
  /**
   * For a server that has a `Request`: the 403 to answer with, or undefined. The request can be read afterwards.
   */
  readonly check: (request: Request) => Promise<Response | undefined>;
  /** For Node, Connect and Express: before anything that reads the body. */
  readonly middleware: (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;
};

/** Refuses calls of server functions that no client of React could have written, before the app sees them. */
export function createGuard(options: GuardOptions): Guard;
