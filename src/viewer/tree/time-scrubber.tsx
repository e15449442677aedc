import { useEffect, useId, useState } from 'react';

import { countRowsWithin, formatCount, formatDuration } from '#flight';

import { readArrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';

type TimeScrubberProps = {
  readonly opened: OpenedFlight;
  readonly time: number | undefined;
  readonly onTime: (ms: number | undefined) => void;
};

/** How long each chunk is shown while playing: long enough to read what changed. */
const playStepMs = 700;

/** The times at which something came, without repeats. */
function readSteps({ chunks }: OpenedFlight): number[] {
  const steps: number[] = [];
  for (const { ms } of chunks) if (steps.length === 0 || ms > (steps.at(-1) ?? 0)) steps.push(ms);
  return steps;
}

/** Goes through the flight chunk by chunk: by mouse, by keyboard, or by playing. */
export function TimeScrubber({ opened, time, onTime }: TimeScrubberProps) {
  const id = useId();
  const [isPlaying, setPlaying] = useState(false);
  const steps = readSteps(opened);
  const last = steps.length - 1;
  const at =
    time === undefined
      ? last
      : Math.max(
          0,
          steps.findLastIndex((step) => step <= time),
        );
  const arrival = readArrival(opened);
  const rows = countRowsWithin(opened.flight, arrival.bytesAt(steps[at] ?? 0));

  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(() => {
      if (at >= last - 1) setPlaying(false);
      onTime(at >= last - 1 ? undefined : steps[at + 1]);
    }, playStepMs);
    return () => clearTimeout(timer);
  });

  if (steps.length === 0) return <p className="flight-note">Without times: this is the tree at the end.</p>;

  function go(step: number) {
    setPlaying(false);
    onTime(step >= last ? undefined : steps[Math.max(step, 0)]);
  }

  function play() {
    if (!isPlaying && at >= last) onTime(steps[0]);
    setPlaying(!isPlaying);
  }

  return (
    <div className="flight-toolbar">
      <button type="button" className="button-small" onClick={play} disabled={last === 0}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button type="button" className="button-small" onClick={() => go(at - 1)} disabled={at === 0}>
        Earlier
      </button>
      <button type="button" className="button-small" onClick={() => go(at + 1)} disabled={at >= last}>
        Later
      </button>
      <label htmlFor={id} className="sr-only">
        Time
      </label>
      <input
        id={id}
        type="range"
        className="flight-scrubber"
        min={0}
        max={Math.max(last, 0)}
        value={at}
        aria-valuetext={`${formatDuration(steps[at] ?? 0)}, ${rows} rows`}
        onChange={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <output htmlFor={id}>
        {formatDuration(steps[at] ?? 0)} · moment {at + 1} of {steps.length} · {formatCount(rows)} of{' '}
        {formatCount(opened.flight.rows.count)} rows
      </output>
    </div>
  );
}
