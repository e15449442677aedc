import type { ChunkTime, Flight, ResponseFacts } from '#flight';

import type { Understood } from '#viewer/understand-task.ts';

import type { DecodeAnswer, DecodeTask } from './decode-task.ts';

/**
 * What the page and decode-worker.ts tell each other. A worker serves one flight: it decodes it, or is given it decoded, and
 * then counts it. The answers come in the order of the requests.
 */
export type WorkerRequest =
  | { readonly kind: 'decode'; readonly task: DecodeTask }
  /** For a flight that the page decoded itself. Has no answer. */
  | { readonly kind: 'keep'; readonly flight: Flight }
  /** Two answers: `understood`, then `compressed`. */
  | {
      readonly kind: 'count';
      readonly chunks: readonly ChunkTime[];
      readonly response: ResponseFacts | undefined;
    };

export type WorkerReply =
  | { readonly kind: 'decoded'; readonly answer: DecodeAnswer }
  | { readonly kind: 'understood'; readonly understood: Understood }
  | { readonly kind: 'compressed'; readonly size: number }
  | { readonly kind: 'failed'; readonly reason: string };
