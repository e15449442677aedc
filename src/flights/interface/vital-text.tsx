import { formatDuration } from '#flight';
import { rateVital, type VitalName } from '#src/flights/vitals/rate-vital.ts';

export function formatVital(name: VitalName, value: number): string {
  return name === 'cls' ? String(Math.round(value * 1_000) / 1_000) : formatDuration(value);
}

/** A value with Google's word for it. What no browser told is no number. */
export function VitalText({ name, value }: { name: VitalName; value: number | undefined }) {
  if (value === undefined) return <span className="text-quiet">unknown</span>;
  const rating = rateVital(name, value);
  return (
    <span>
      {formatVital(name, value)}{' '}
      <span className={rating === 'poor' ? 'font-semibold text-error' : 'text-quiet'}>{rating}</span>
    </span>
  );
}
