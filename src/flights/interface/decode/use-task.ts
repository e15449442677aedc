import { useEffect, useState } from 'react';

export type TaskState<T> =
  | { readonly status: 'running' }
  | { readonly status: 'failed'; readonly reason: string; readonly retry: () => void }
  | { readonly status: 'done'; readonly value: T };

const running = { status: 'running' } as const;

/**
 * The result of an asynchronous task. It runs again when `start` is another function, and after a failure when somebody wants it. What
 * came for an earlier one is dropped.
 */
export function useTask<T>(start: () => Promise<T>): TaskState<T> {
  const [settled, setSettled] = useState<{ readonly start: () => Promise<T>; readonly state: TaskState<T> }>();
  const isSettled = settled?.start === start;
  useEffect(() => {
    if (isSettled) return undefined;
    let isCurrent = true;
    function settle(state: TaskState<T>) {
      if (isCurrent) setSettled({ start, state });
    }
    start().then(
      (value) => settle({ status: 'done', value }),
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        settle({ status: 'failed', reason, retry: () => setSettled(undefined) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [start, isSettled]);
  return isSettled ? settled.state : running;
}
