import type { IncomingMessage, ServerResponse } from 'node:http';

import type { RecorderAddress } from '#report/recorder-url.ts';
import type { Policy } from '#src/apps/policy.ts';

/** What the interface says of the app, as soon as it runs. */
export type Announced = {
  /** Where errors and flights of the app are sent, with its secret key. */
  readonly recorder: RecorderAddress;
  /** For browsers' reports: the key and the project's number of a DSN. Undefined where the recorder is elsewhere. */
  readonly browsers: { readonly publicKey: string; readonly project: number } | undefined;
};

/**
 * The interface beside an app, seen from inside the app. Nothing here throws into the app or keeps an answer of it waiting: what
 * is not there yet is `undefined`, and its pages are answered with 503.
 */
export type Beside = {
  /** The data folder, absolute: flights are recorded straight into it. Undefined where the recorder is elsewhere. */
  readonly data: string | undefined;
  /** Resolves when the interface has answered for the first time. It never rejects, and never resolves where that cannot be. */
  readonly ready: Promise<Announced>;
  /** As it is now: the address may change when the interface was started again. Undefined: not there yet, or the app was deleted. */
  readonly read: () => Announced | undefined;
  /** What is recorded of the app now. The operator may change it at any time. */
  readonly readPolicy: () => Policy;
  /** What is recorded of it where it has no setting. */
  readonly unset: Policy;
  /** Whether a path, as it stands in the URL, is one of the interface's: `forward` answers it. Never where the recorder is elsewhere. */
  readonly owns: (pathname: string) => boolean;
  /** @param env what the app's server gives beside the request: `incoming` of @hono/node-server says who the visitor is */
  readonly forward: (request: Request, env: unknown) => Promise<Response>;
  /** The same for Node's own requests, in the dev server. */
  readonly forwardNode: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Ends the interface, where this process has started it. */
  readonly stop: () => Promise<void>;
};
