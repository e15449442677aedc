import { useEffect, useState } from 'react';

import { countFlight } from './count-flight.ts';
import type { OpenedFlight } from './opened-flight.ts';

/** The size of the flight's bytes with gzip, an estimate (measure-gzip.ts); undefined until it is known. */
export function useGzipSize(opened: OpenedFlight): number | undefined {
  const [result, setResult] = useState<{ opened: OpenedFlight; size: number }>();
  useEffect(() => {
    let isCurrent = true;
    async function wait() {
      try {
        const size = await countFlight(opened).gzip;
        if (isCurrent) setResult({ opened, size });
      } catch {
        // What could not be counted stays unknown; the findings say why.
      }
    }
    void wait();
    return () => {
      isCurrent = false;
    };
  }, [opened]);
  return result?.opened === opened ? result.size : undefined;
}
