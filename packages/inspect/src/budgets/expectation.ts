import { checkBudget, type Results } from './check-budget.ts';
import type { Loaded } from './open-loaded.ts';
import { readBudget } from './read-budget.ts';

export type Expectation = { readonly toStayWithin: (budget: unknown) => Promise<void> };

/**
 * An error that stands where the test called: without this its stack would begin in this package, and the runner would show a
 * line of ours instead of the test's.
 */
function makeErrorAt(place: Error, name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  const frames = (place.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  error.stack = [`${name}: ${message}`, ...frames].join('\n');
  return error;
}

/** @param load what to measure; it is asked once, when there is a budget */
export function createExpectation(load: () => Promise<Loaded>, findResults: () => Promise<() => Results>): Expectation {
  async function toStayWithin(budget: unknown): Promise<void> {
    const place = new Error('place');
    Error.captureStackTrace(place, toStayWithin);
    try {
      const limits = readBudget(budget);
      const { isWithin, message } = await checkBudget(await load(), limits, await findResults());
      if (isWithin) return;
      throw makeErrorAt(place, 'FlightBudgetError', message);
    } catch (error) {
      if (!(error instanceof Error) || error.name === 'FlightBudgetError') throw error;
      throw makeErrorAt(place, error.name, error.message);
    }
  }
  return { toStayWithin };
}
