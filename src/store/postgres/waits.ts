import { NoAnswer } from './postgres-errors.ts';

/**
 * Who waits for the server at the moment, and can be told that no answer will come. The driver's own limits are far longer than
 * somebody waits for a page: a long statement must be able to end. So when it is known that the server does not answer at all
 * (src/faults/kept/keep.ts), those who wait are told at once.
 */
export type Waits = {
  /** Waits for `work`. @param end called when it is given up; `work` may stay unsettled @throws also `NoAnswer` */
  readonly during: <T>(work: Promise<T>, end: () => void) => Promise<T>;
  /** Gives up what has waited for so long. */
  readonly giveUp: (afterMs: number) => void;
};

export function createWaits(): Waits {
  const waits = new Map<() => void, number>();
  return {
    async during(work, end) {
      const { promise, reject } = Promise.withResolvers<never>();
      const since = performance.now();
      function giveUp(): void {
        reject(new NoAnswer(performance.now() - since));
        end();
      }
      waits.set(giveUp, since);
      try {
        return await Promise.race([work, promise]);
      } finally {
        waits.delete(giveUp);
      }
    },
    giveUp(afterMs) {
      const before = performance.now() - afterMs;
      for (const [giveUp, since] of waits) if (since <= before) giveUp();
    },
  };
}
