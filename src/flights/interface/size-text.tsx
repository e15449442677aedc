import { formatBytes } from '#flight';
import type { FlightSizes } from '../flight/flight-sizes.ts';

/** What is measured, by the words that stand in every interface. */
export const sizeTitles = {
  flight: 'The Flight rows, before compression',
  response: 'The body before compression, with the HTML around the rows',
  transferred: 'The body as it was sent, compressed or not',
} as const satisfies Record<keyof FlightSizes, string>;

/** One of the three sizes. What is not known is no number. */
export function SizeText({ of, sizes }: { of: keyof FlightSizes; sizes: FlightSizes }) {
  const bytes = sizes[of];
  return bytes === undefined ? (
    <span className="text-quiet" title="Not known of this flight">
      –
    </span>
  ) : (
    <span>{formatBytes(bytes)}</span>
  );
}
