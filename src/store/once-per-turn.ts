/**
 * Values that every request needs and that cost a system call or a look at the database file: read once per turn of the event loop.
 * Under load one turn brings several requests, and nobody can tell that they came at different moments.
 */
export function oncePerTurn<T extends {}>(read: () => T): () => T {
  let known: T | undefined;
  function forget(): void {
    known = undefined;
  }
  return function readOnce() {
    if (known === undefined) {
      known = read();
      setImmediate(forget);
    }
    return known;
  };
}

/** As `oncePerTurn`, for each `of`, which is most often a store. */
export function oncePerTurnOf<Of extends object, T extends {}>(read: (of: Of) => T): (of: Of) => T {
  const readers = new WeakMap<Of, () => T>();
  return function readOnceOf(of) {
    const reader = readers.get(of) ?? oncePerTurn(() => read(of));
    readers.set(of, reader);
    return reader();
  };
}
