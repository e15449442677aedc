import type { SeenRequest, Tap, Watch } from './watch.ts';

/**
 * The one place where the proxy calls what records. Whatever a watch or a tap throws ends here: it is counted, the tap is not
 * called again, and the bytes go on.
 */
export type GuardedTap = {
  readonly id: string | undefined;
  readonly requestBody: (chunk: Uint8Array) => void;
  readonly response: (status: number, headers: readonly string[]) => void;
  readonly body: (chunk: Uint8Array) => void;
  readonly end: (outcome: Parameters<Tap['end']>[0]) => void;
};

export type TapGuard = {
  readonly watch: (request: SeenRequest) => GuardedTap | undefined;
  readonly readFailures: () => number;
};

export function createTapGuard(watch: Watch): TapGuard {
  let failures = 0;

  function guard(tap: Tap): GuardedTap {
    let state: 'open' | 'without body' | 'over' = 'open';
    function attempt(call: () => void): void {
      try {
        call();
      } catch {
        state = 'over';
        failures += 1;
      }
    }
    return {
      id: tap.id,
      requestBody(chunk) {
        if (state !== 'over' && tap.requestBody) attempt(() => tap.requestBody?.(chunk));
      },
      response(status, headers) {
        if (state === 'over') return;
        attempt(() => {
          if (!tap.response(status, headers)) state = 'without body';
        });
      },
      body(chunk) {
        if (state === 'open') attempt(() => tap.body(chunk));
      },
      end(outcome) {
        if (state === 'over') return;
        state = 'over';
        attempt(() => tap.end(outcome));
      },
    };
  }

  return {
    watch(request) {
      try {
        const tap = watch(request);
        return tap && guard(tap);
      } catch {
        failures += 1;
        return undefined;
      }
    },
    readFailures: () => failures,
  };
}
