import { useEffect, useState } from 'react';

import type { Flight } from '#flight';

import { createReferenceReader, type References } from './references.ts';

/** Half a frame at 60 Hz. */
const sliceMs = 8;

const known = new WeakMap<Flight, Promise<References>>();
const read = new WeakMap<Flight, References>();

async function readAll(flight: Flight): Promise<References> {
  const { references, advance } = createReferenceReader(flight);
  while (!advance(performance.now() + sliceMs)) await new Promise((resolve) => setTimeout(resolve));
  read.set(flight, references);
  return references;
}

/** A flight's references; undefined until they are read. The first caller starts the reading. */
export function useReferences(flight: Flight): References | undefined {
  const [, setReady] = useState<Flight>();

  useEffect(() => {
    if (read.has(flight)) return undefined;
    let isCurrent = true;
    const reading = known.get(flight) ?? readAll(flight);
    known.set(flight, reading);
    async function wait() {
      await reading;
      if (isCurrent) setReady(flight);
    }
    void wait();
    return () => {
      isCurrent = false;
    };
  }, [flight]);

  return read.get(flight);
}
