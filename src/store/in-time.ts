import { NoAnswer } from './postgres/postgres-errors.ts';

/**
 * For a read whose answer of a moment ago will do: whoever reports an error does not wait for a database that says nothing.
 * The read goes on.
 * @throws also `NoAnswer`
 */
export async function inTime<T>(read: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(ms)), ms);
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}
