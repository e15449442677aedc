/**
 * What these commands write holds what visitors and errors say: no other user of the machine may read it. The mask is the
 * process's, and a process that is started inherits it. The user's own app must not: its files may be for others.
 */
let usersMask: number | undefined;

export function keepFilesPrivate(): void {
  usersMask ??= process.umask(0o077);
}

/** Runs `start` with the mask that this process was started with. It must start what it starts before it returns. */
export function withUsersMask<T>(start: () => T): T {
  if (usersMask === undefined) return start();
  const own = process.umask(usersMask);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}
