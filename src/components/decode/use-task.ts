import { useEffect, useState } from 'react';

export type TaskState<T> =
  | { readonly status: 'running' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'done'; readonly value: T };

const running = { status: 'running' } as const;

/**
 * The result of an asynchronous task, which runs again when `start` is another function. What came for an earlier one is
 * dropped.
 */
export function useTask<T>(start: () => Promise<T>): TaskState<T> {
  const [settled, setSettled] = useState<{ readonly start: () => Promise<T>; readonly state: TaskState<T> }>();
  useEffect(() => {
    let isCurrent = true;
    function settle(state: TaskState<T>) {
      if (isCurrent) setSettled({ start, state });
    }
    start().then(
      (value) => settle({ status: 'done', value }),
      (error: unknown) => settle({ status: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [start]);
  return settled?.start === start ? settled.state : running;
}
