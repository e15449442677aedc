/**
 * What the proxy tells whoever records. A tap sees copies of nothing: a chunk belongs to the response that is being sent,
 * so a tap neither changes it nor keeps it beyond the call.
 */

/** A request as the proxy saw it, before it is forwarded. */
export type SeenRequest = {
  readonly method: string;
  readonly target: string;
  /** Raw and flat, as they came: name, value, name, value. */
  readonly headers: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The address at the other end of the connection. */
  readonly peer: string;
};

/** Called for each request before it is forwarded; undefined: this one is not watched. */
export type Watch = (request: SeenRequest) => Tap | undefined;

export type Tap = {
  /** Of the request, where it is recorded under one. */
  readonly id?: string;
  /** Pieces of the request's body. Absent when nobody wants them. */
  readonly requestBody?: (chunk: Uint8Array) => void;
  /** The final response's head. False: its body is not wanted. */
  readonly response: (status: number, headers: readonly string[]) => boolean;
  readonly body: (chunk: Uint8Array) => void;
  /**
   * Called exactly once. complete: sent whole. broken: the upstream broke off or could not be reached. left: the client
   * went away.
   */
  readonly end: (outcome: 'complete' | 'broken' | 'left') => void;
};
