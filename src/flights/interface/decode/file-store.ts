/**
 * The files that were opened, kept by this browser alone, so that reloading and going back find them. IndexedDB holds blobs,
 * which are read from the disk when their bytes are asked for: a list costs no memory.
 *
 * Browsers may refuse: in private windows, when the disk is full, when a policy forbids it. Every function here rejects then,
 * and the caller says so.
 */
export type KeptFile = {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly isPasted: boolean;
  readonly blob: Blob;
  /** How many flights are in it. */
  readonly flights: number;
};

/** More files than somebody goes back to. */
export const maxKeptFiles = 10;
/** Three files of the largest size that is read. Browsers give a site a gigabyte and more. */
export const maxKeptBytes = 200_000_000;

const databaseName = 'decode';
const storeName = 'files';

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser gave no reason')));
  });
}

function finish(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(transaction.error ?? new Error('The browser gave no reason'));
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', fail);
    transaction.addEventListener('error', fail);
  });
}

/** Opened for each use: an open connection would keep another tab from deleting the database. */
async function withStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(storeName, { keyPath: 'id' }));
  const database = await settle(opening);
  try {
    const transaction = database.transaction(storeName, mode);
    const finished = finish(transaction);
    const [result] = await Promise.all([use(transaction.objectStore(storeName)), finished]);
    return result;
  } finally {
    database.close();
  }
}

function isKeptFile(value: unknown): value is KeptFile {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, openedAt, blob, flights } = Object.fromEntries(Object.entries(value));
  const isNamed = typeof id === 'string' && typeof name === 'string';
  return isNamed && typeof openedAt === 'number' && typeof flights === 'number' && blob instanceof Blob;
}

async function readAll(store: IDBObjectStore): Promise<KeptFile[]> {
  const all: unknown[] = await settle(store.getAll());
  return all.filter(isKeptFile).toSorted((a, b) => b.openedAt - a.openedAt);
}

/** Newest first. */
export function listKeptFiles(): Promise<KeptFile[]> {
  return withStore('readonly', readAll);
}

/** The newest files that are few and small enough together; always the first. */
export function selectKept<T extends { readonly blob: { readonly size: number } }>(newestFirst: readonly T[]): T[] {
  let bytes = 0;
  return newestFirst.slice(0, maxKeptFiles).filter(({ blob }, index) => {
    bytes += blob.size;
    return index === 0 || bytes <= maxKeptBytes;
  });
}

/** Keeps a file, and forgets the oldest when there are too many. Resolves with those that are kept. */
export function keepFile(file: KeptFile): Promise<KeptFile[]> {
  return withStore('readwrite', async (store) => {
    await settle(store.put(file));
    const all = await readAll(store);
    const kept = selectKept([file, ...all.filter(({ id }) => id !== file.id)]);
    const names = new Set(kept.map(({ id }) => id));
    for (const { id } of all) if (!names.has(id)) store.delete(id);
    return kept;
  });
}

export function forgetFile(id: string): Promise<void> {
  return withStore('readwrite', async (store) => void (await settle(store.delete(id))));
}

export function forgetAllFiles(): Promise<void> {
  return withStore('readwrite', async (store) => void (await settle(store.clear())));
}
