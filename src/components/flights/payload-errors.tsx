import { formatRowName } from '#src/components/flight/view-hash.ts';
import { DigestLink } from '#src/components/digest-link.tsx';
import { Panel } from '#src/components/panel.tsx';
import { readErrors, type Flight } from '#flight';
import { isDigest } from '#src/runtime/errors/digest.ts';

const shown = 50;

/** The digests of this flight: those in its rows, with the row, and those that are in no row. */
export function PayloadErrors({ flight, digests }: { flight: Flight; digests: readonly string[] }) {
  const errors = readErrors(flight).slice(0, shown);
  const carried = new Set(errors.map(({ digest }) => digest));
  const others = digests.filter((digest) => !carried.has(digest));
  if (errors.length === 0 && others.length === 0) return null;
  return (
    <Panel title="Errors">
      <ul className="stack-1 text-sm">
        {errors.map(({ row, digest, name, message }) => (
          <li key={row}>
            {isDigest(digest) ? <DigestLink digest={digest} /> : <span className="code">{digest || 'no digest'}</span>}
            {name === undefined ? null : ` ${name}: ${message ?? ''}`}, in{' '}
            <a href={`#row=${formatRowName(flight, row)}`}>row {formatRowName(flight, row)}</a>
          </li>
        ))}
        {others.map((digest) => (
          <li key={digest}>
            <DigestLink digest={digest} />, in no row that was kept: it failed outside of the payload
          </li>
        ))}
      </ul>
    </Panel>
  );
}
