/**
 * Prefetched pages, by key, until they are too old to show.
 *
 * An entry exists from the moment when its request is sent, so that a navigation can wait for it instead of asking
 * again. Its life starts with the response, because only then does the server say whether the page is static or
 * dynamic. After an action that changed data, every dynamic page may be wrong. So may every page that is still being
 * fetched, since the server may have rendered it before the change. Those are dropped; static pages stay. At most
 * `capacity` entries are kept, and the oldest is dropped first.
 */
export type PageKind = 'static' | 'dynamic';

type Entry<T> = {
  readonly value: T;
  life: { readonly status: 'requested' } | { readonly status: 'answered'; kind: PageKind; expiresAt: number };
};

type StoreOptions = {
  readonly capacity: number;
  readonly lifetimesMs: Readonly<Record<PageKind, number>>;
  readonly onChange: () => void;
};

type Lookup<T> = { readonly found: 'fresh'; readonly value: T } | { readonly found: 'no' | 'expired' };

export type PrefetchStore<T> = {
  /** Adds an entry whose request has just been sent. @returns the functions that report its progress */
  readonly add: (key: string, value: T) => PrefetchReport;
  readonly find: (key: string) => Lookup<T>;
  readonly drop: (key: string) => void;
  readonly clearDynamic: () => void;
  readonly clear: () => void;
  /** Answered entries that can still be shown; `expiresAt` in milliseconds since the epoch. */
  readonly entries: () => readonly { readonly key: string; readonly kind: PageKind; readonly expiresAt: number }[];
};

type PrefetchReport = {
  /** The response has begun. */
  readonly answered: (kind: PageKind) => void;
  /** There is nothing to show. A newer entry of the same key is not touched. */
  readonly failed: () => void;
};

export function createPrefetchStore<T>({ capacity, lifetimesMs, onChange }: StoreOptions): PrefetchStore<T> {
  /** Oldest first. */
  const entries = new Map<string, Entry<T>>();

  function isExpired({ life }: Entry<T>): boolean {
    return life.status === 'answered' && life.expiresAt <= Date.now();
  }

  function dropWhere(matches: (entry: Entry<T>) => boolean) {
    for (const [key, entry] of entries) if (matches(entry)) entries.delete(key);
    onChange();
  }

  return {
    add(key, value) {
      const entry: Entry<T> = { value, life: { status: 'requested' } };
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > capacity) dropWhere(isExpired);
      const oldest = entries.keys().next().value;
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest);
      onChange();
      return {
        answered(kind) {
          entry.life = { status: 'answered', kind, expiresAt: Date.now() + lifetimesMs[kind] };
          onChange();
        },
        failed() {
          if (entries.get(key) !== entry) return;
          entries.delete(key);
          onChange();
        },
      };
    },
    find(key) {
      const entry = entries.get(key);
      if (!entry) return { found: 'no' };
      if (!isExpired(entry)) return { found: 'fresh', value: entry.value };
      entries.delete(key);
      onChange();
      return { found: 'expired' };
    },
    drop(key) {
      if (entries.delete(key)) onChange();
    },
    clearDynamic() {
      dropWhere(({ life }) => life.status === 'requested' || life.kind === 'dynamic');
    },
    clear() {
      dropWhere(() => true);
    },
    entries() {
      return [...entries].flatMap(([key, { life }]) =>
        life.status === 'answered' && life.expiresAt > Date.now()
          ? [{ key, kind: life.kind, expiresAt: life.expiresAt }]
          : [],
      );
    },
  };
}
