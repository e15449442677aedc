import 'server-only';

/** The answers to the latest questions; `undefined` is an answer too. What was asked for least recently is forgotten first. */
export type Latest<T> = {
  readonly has: (key: string) => boolean;
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T | undefined) => void;
};

export function createLatest<T>(most: number): Latest<T> {
  const answers = new Map<string, T | undefined>();
  function set(key: string, value: T | undefined): void {
    answers.delete(key);
    answers.set(key, value);
    const oldest = answers.keys().next().value;
    if (answers.size > most && oldest !== undefined) answers.delete(oldest);
  }
  return {
    has: (key) => answers.has(key),
    get(key) {
      const value = answers.get(key);
      if (answers.has(key)) set(key, value);
      return value;
    },
    set,
  };
}
