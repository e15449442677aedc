import { formatBytes, formatCount, type FlightDiff } from '#flight';

/** A Waku page has a few. */
const maxShown = 50;

/** The parts of the page that one of the two flights did not carry, because the browser had them. */
export function NotSent({ notSent }: { readonly notSent: FlightDiff['notSent'] }) {
  if (notSent.length === 0) return null;
  const shown = notSent
    .slice(0, maxShown)
    .map(({ key, missingIn, bytes }) => `${key} (not in the one ${missingIn}, ${formatBytes(bytes)})`);
  const more = notSent.length - shown.length;
  return (
    <p className="text-sm text-quiet [overflow-wrap:anywhere]">
      Not compared, because one of the two did not carry it: {shown.join(', ')}
      {more > 0 ? ` and ${formatCount(more)} more` : ''}.
    </p>
  );
}
