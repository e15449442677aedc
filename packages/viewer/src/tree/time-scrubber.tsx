import { useEffect, useId, useMemo, useState } from 'react';

import { countRowsWithin, formatCount, formatDuration } from '#flight';

import { formatPosition, readArrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import { byteTourMs, chooseSpeed, findStep, playOn, readPlayback, speeds, timeOfStep, type Speed } from './playback.ts';

type TimeScrubberProps = {
  readonly opened: OpenedFlight;
  readonly time: number | undefined;
  readonly onTime: (ms: number | undefined) => void;
};

/** Shorter waits are one: a screen shows no more than this. */
const frameMs = 16;

/** What is being played: from which position, and since when. */
type Playing = { readonly from: number; readonly since: number };

/** Goes through the flight as it came: by mouse, by keyboard, or by playing it in real time, slower or faster. */
export function TimeScrubber({ opened, time, onTime }: TimeScrubberProps) {
  const id = useId();
  const playback = useMemo(() => readPlayback(opened), [opened]);
  const [speed, setSpeed] = useState<Speed>(() => chooseSpeed(playback));
  const [playing, setPlaying] = useState<Playing>();
  const { steps, unit } = playback;
  const last = steps.length - 1;
  const at = Math.max(0, findStep(steps, time));
  const position = steps[at] ?? 0;
  const count = opened.flight.rows.count;
  const rows = at === last ? count : countRowsWithin(opened.flight, readArrival(opened).bytesAt(position));

  useEffect(() => {
    if (!playing) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    function goOn() {
      if (!playing) return;
      const { step, wait } = playOn(playback, speed, playing.from, performance.now() - playing.since);
      onTime(timeOfStep(steps, step));
      if (wait === undefined) setPlaying(undefined);
      else timer = setTimeout(goOn, Math.max(wait, frameMs));
    }
    timer = setTimeout(goOn, frameMs);
    return () => clearTimeout(timer);
  }, [playing, playback, steps, speed, onTime]);

  if (last < 1) return <p className="flight-note">It came all at once: there is nothing to play.</p>;

  function go(step: number) {
    setPlaying(undefined);
    onTime(timeOfStep(steps, step));
  }

  /** From the moment that is shown; from the beginning when that is the end. */
  function play() {
    const from = at >= last ? 0 : at;
    onTime(timeOfStep(steps, from));
    setPlaying({ from: steps[from] ?? 0, since: performance.now() });
  }

  function changeSpeed(wanted: string) {
    const found = speeds.find((known) => String(known) === wanted);
    if (found === undefined) return;
    setSpeed(found);
    if (playing) setPlaying({ from: position, since: performance.now() });
  }

  const moment = formatPosition(unit, position);
  return (
    <div className="flight-toolbar flight-time">
      <button type="button" className="button-small" onClick={playing ? () => go(at) : play}>
        {playing ? 'Pause' : 'Play'}
      </button>
      <label className="flight-speed">
        <span className="sr-only">Speed</span>
        <select value={String(speed)} onChange={(event) => changeSpeed(event.currentTarget.value)}>
          {speeds.map((known) => (
            <option key={known} value={String(known)}>{`${known}×`}</option>
          ))}
        </select>
      </label>
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
        max={last}
        value={at}
        aria-valuetext={`${moment}, ${rows} rows`}
        onChange={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <output htmlFor={id}>
        {moment} · {formatCount(rows)} of {formatCount(count)} rows
      </output>
      {unit === 'bytes' ? (
        <p className="text-sm text-quiet">
          It came without times: it is played by its bytes, evenly, all of it in {formatDuration(byteTourMs)}.
        </p>
      ) : null}
    </div>
  );
}
