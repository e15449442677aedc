import { useEffect, useState } from 'react';

import { formatCount } from '#flight';

import type { Position } from './use-stage.ts';

/** Long enough for React to show a row, and for a person to see it. */
const playMs = 1_600;

type StepButtonsProps = {
  readonly position: Position;
  readonly count: number;
  readonly onChange: (position: Position) => void;
};

/** Row by row, or by itself. */
export function StepButtons({ position, count, onChange }: StepButtonsProps) {
  const [isPlaying, setPlaying] = useState(false);
  const step = position.kind === 'step' ? position.step : undefined;
  const isLast = step !== undefined && step >= count - 1;

  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(
      () => {
        if (isLast) setPlaying(false);
        else onChange({ kind: 'step', step: (step ?? -1) + 1 });
      },
      step === undefined ? 0 : playMs,
    );
    return () => clearTimeout(timer);
  }, [isPlaying, isLast, step, onChange]);

  function go(next: number) {
    setPlaying(false);
    onChange({ kind: 'step', step: next });
  }

  function play() {
    // From the end it begins again.
    if (!isPlaying && isLast) onChange({ kind: 'step', step: 0 });
    setPlaying(!isPlaying);
  }

  const at = step === undefined ? 'All' : `${formatCount(step + 1)} of`;
  return (
    <div role="group" aria-label="Row by row" className="flex flex-wrap items-center gap-1.5">
      <button type="button" className="button-small" disabled={step === 0} onClick={() => go((step ?? count) - 1)}>
        Back
      </button>
      <button type="button" className="button-small" disabled={isLast} onClick={() => go((step ?? -1) + 1)}>
        {step === undefined ? 'From the first row' : 'Next row'}
      </button>
      <button type="button" className="button-small" aria-pressed={isPlaying} onClick={play}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      {step === undefined ? null : (
        <button
          type="button"
          className="button-small"
          onClick={() => {
            setPlaying(false);
            onChange({ kind: 'all' });
          }}
        >
          Show all
        </button>
      )}
      <span className="whitespace-nowrap text-sm text-quiet" role="status">
        {count === 0 ? 'No row yet' : `${at} ${formatCount(count)}`}
      </span>
    </div>
  );
}
