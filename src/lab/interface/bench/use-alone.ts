import { useEffect, useState } from 'react';

/** A payload on its way: what has come, and when. */
export type Alone = {
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly chunks: readonly { readonly ms: number; readonly bytes: number }[];
  readonly status:
    | { readonly kind: 'open' }
    | { readonly kind: 'ended' }
    | { readonly kind: 'failed'; readonly reason: string };
};

function beginAlone(address: string): Alone {
  return { address, bytes: new Uint8Array(), chunks: [], status: { kind: 'open' } };
}

/** The rest of a larger one is left out: an experiment is something to look at. */
const longestBytes = 2 * 1024 * 1024;

function append({ bytes, chunks, ...alone }: Alone, chunk: Uint8Array, ms: number): Alone {
  const joined = new Uint8Array(bytes.length + chunk.length);
  joined.set(bytes);
  joined.set(chunk, bytes.length);
  return { ...alone, bytes: joined, chunks: [...chunks, { ms, bytes: chunk.length }] };
}

async function read(address: string, signal: AbortSignal, onChange: (alone: Alone) => void): Promise<void> {
  let alone = beginAlone(address);
  const began = performance.now();
  try {
    const response = await fetch(address, { signal });
    if (!response.ok || !response.body) {
      return onChange({ ...alone, status: { kind: 'failed', reason: `The server answered with ${response.status}.` } });
    }
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return onChange({ ...alone, status: { kind: 'ended' } });
      if (alone.bytes.length + value.length > longestBytes) {
        await reader.cancel();
        return onChange({
          ...alone,
          status: { kind: 'failed', reason: 'It has more than 2 MiB, which is not shown.' },
        });
      }
      alone = append(alone, value, Math.round(performance.now() - began));
      onChange(alone);
    }
  } catch {
    if (!signal.aborted) onChange({ ...alone, status: { kind: 'failed', reason: 'The connection broke.' } });
  }
}

/** Fetches a payload once, and gives what has come of it so far. Until something of another one has come, it is the one before. */
export function useAlone(address: string): Alone {
  const [alone, setAlone] = useState(() => beginAlone(address));
  useEffect(() => {
    const lifetime = new AbortController();
    void read(address, lifetime.signal, setAlone);
    return () => lifetime.abort();
  }, [address]);
  return alone;
}
