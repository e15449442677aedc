'use client';

function toNumbers(samples: Uint8Array | readonly number[] | string): readonly number[] {
  return typeof samples === 'string' ? Array.from(atob(samples), (one) => one.charCodeAt(0)) : Array.from(samples);
}

export function Samples({ samples }: { samples: Uint8Array | readonly number[] | string }) {
  const numbers = toNumbers(samples);
  const points = numbers.map((sample, at) => `${at / 4},${(255 - sample) / 4}`).join(' ');
  return (
    <svg viewBox="0 0 512 64" role="img" aria-label={`${numbers.length} samples`} className="w-full">
      <polyline points={points} fill="none" stroke="currentColor" />
    </svg>
  );
}
