import 'server-only';

/**
 * Whatever adds or deletes maps runs one after the other: a file that is stored and not yet in the table must not be taken for one
 * that nobody needs.
 */
let latest: Promise<unknown> = Promise.resolve();

export function changeMaps<T>(change: () => Promise<T>): Promise<T> {
  const done = latest.then(change);
  latest = done.catch(() => undefined);
  return done;
}
