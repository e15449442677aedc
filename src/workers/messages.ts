import * as v from 'valibot';

import { workerCauses } from './this-worker.ts';

/**
 * What the primary and its workers say to each other, over the channel that Node gives a forked process. Both ends are of one build,
 * but the channel also carries Node's own messages and those of other code, so each message is parsed.
 */

/** Why a worker is told to stop when another one has taken its place. */
export const renewed = 'renewed';

const address = v.object({ hostname: v.string(), port: v.number() });

const toPrimary = v.variant('type', [
  /** It listens. */
  v.object({ type: v.literal('ready') }),
  /** Where the server is, for `instance.json`. */
  v.object({ type: v.literal('presence'), address, origin: v.string() }),
  /** What is to be said to whoever has started the server (http/announcement.ts). */
  v.object({ type: v.literal('listening'), origin: v.string(), loginUrl: v.optional(v.string()) }),
  /** It takes no new connection any more. */
  v.object({ type: v.literal('refusing') }),
  /** One writer at a time (turn-queue.ts). */
  v.object({ type: v.literal('turn-wanted') }),
  v.object({ type: v.literal('turn-back') }),
  /** To every other worker. */
  v.object({ type: v.literal('news'), topic: v.string(), text: v.string() }),
  /** Work that one worker does for all. */
  v.object({ type: v.literal('lease-wanted'), name: v.string() }),
  v.object({ type: v.literal('lease-back'), name: v.string() }),
]);

const toWorker = v.variant('type', [
  v.object({
    type: v.literal('hello'),
    number: v.number(),
    count: v.number(),
    door: v.string(),
    wasStoppedCleanly: v.boolean(),
    cause: v.picklist(workerCauses),
  }),
  v.object({ type: v.literal('turn') }),
  v.object({ type: v.literal('news'), topic: v.string(), text: v.string() }),
  v.object({ type: v.literal('lease'), name: v.string() }),
  /** Answer what is in flight, then end. */
  v.object({ type: v.literal('stop'), reason: v.string() }),
  /** No worker takes connections any more, after all were told to stop. */
  v.object({ type: v.literal('all-refuse') }),
]);

export type ToPrimary = v.InferOutput<typeof toPrimary>;
export type ToWorker = v.InferOutput<typeof toWorker>;

/** Undefined for what is not ours. */
export function readToPrimary(message: unknown): ToPrimary | undefined {
  const parsed = v.safeParse(toPrimary, message);
  return parsed.success ? parsed.output : undefined;
}

/** Undefined for what is not ours. */
export function readToWorker(message: unknown): ToWorker | undefined {
  const parsed = v.safeParse(toWorker, message);
  return parsed.success ? parsed.output : undefined;
}
