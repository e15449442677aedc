import { firstErrorStatus, type Loaded } from './open-loaded.ts';

/**
 * An error page is small, and so would keep every budget. It is measured where the test names its status.
 * @param meant the status that the test expects; undefined: any that is no error
 */
export function checkStatus({ name, flights }: Loaded, meant: number | undefined): void {
  const failed = flights.find(({ status = 200 }) => status >= firstErrorStatus && status !== meant);
  if (failed) {
    const hint = `if it is meant, say status: ${failed.status} in the budget, or pass its text`;
    throw new Error(`${failed.title} is an error page: ${hint}`);
  }
  if (meant === undefined || flights.some(({ status }) => status === meant)) return;
  throw new Error(`${name} was expected to answer with status ${meant}, and nothing did`);
}
