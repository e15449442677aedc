import { useMemo } from 'react';

import { readShellWaits, type ServerTime } from '#flight';
import type { OpenedFlight } from '#viewer/opened-flight.ts';

import { ServerTimePanel } from './server-time.tsx';

type Props = { readonly time: ServerTime; readonly opened: Pick<OpenedFlight, 'flight' | 'chunks'> };

/** Of a flight that a file brought here. */
export function ServerTimeOf({ time, opened: { flight, chunks } }: Props) {
  const shell = useMemo(() => readShellWaits(flight, chunks), [flight, chunks]);
  return <ServerTimePanel time={time} shell={shell} durationMs={chunks.at(-1)?.ms ?? 0} />;
}
