import { formatBytes } from '#flight';
import { flightsOfRoutePath } from '#src/http/addresses.ts';
import type { LinkPrefetches } from '#src/recorder/for-operator/summaries.ts';
import type { PrefetchOutcome } from '#src/recorder/prefetch-outcome.ts';

const barWidth = 100;
const outcomes = ['used', 'unused', 'expired', 'waiting', 'unknown'] as const satisfies readonly PrefetchOutcome[];

const colours = {
  used: 'var(--navigation)',
  unused: 'var(--error)',
  expired: 'var(--accent)',
  waiting: 'var(--line-strong)',
  unknown: 'var(--line)',
} as const satisfies Record<PrefetchOutcome, string>;

const meanings = {
  used: 'a navigation showed it',
  unused: 'its document was closed before anybody went there',
  expired: 'it became too old before anybody went there',
  waiting: 'neither yet',
  unknown: 'nothing says it: they were counted together, or the app does not report it',
} as const satisfies Record<PrefetchOutcome, string>;

/** How many prefetches of a link had each outcome, compared with the link that has most prefetches. */
function OutcomeBar({ link, most }: { link: LinkPrefetches; most: number }) {
  const scale = most === 0 ? 0 : barWidth / most;
  const starts = outcomes.map((_, index) => outcomes.slice(0, index).reduce((sum, outcome) => sum + link[outcome], 0));
  return (
    <svg
      className="block h-3 w-full min-w-24"
      viewBox={`0 0 ${barWidth} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={outcomes.map((outcome) => `${link[outcome]} ${outcome}`).join(', ')}
    >
      {outcomes.map((outcome, index) => (
        <rect
          key={outcome}
          className={`ledger-${outcome}`}
          x={(starts[index] ?? 0) * scale}
          width={link[outcome] * scale}
          height="12"
        />
      ))}
    </svg>
  );
}

/** Explains `wasted` and each colour. */
export function LedgerKey() {
  return (
    <ul className="grid list-none gap-x-6 gap-y-0.5 p-0 text-sm sm:grid-cols-2">
      {outcomes.map((outcome) => (
        <li key={outcome}>
          <span className="ledger-key" style={{ background: colours[outcome] }} />
          <strong className="font-medium">{outcome}</strong>: {meanings[outcome]}
        </li>
      ))}
    </ul>
  );
}

/** `3 kB`, or a range where nothing says what became of some. */
export function describeWaste({
  wastedBytes,
  unknownBytes,
}: Pick<LinkPrefetches, 'wastedBytes' | 'unknownBytes'>): string {
  if (unknownBytes === 0) return formatBytes(wastedBytes);
  const most = formatBytes(wastedBytes + unknownBytes);
  return wastedBytes === 0 ? `at most ${most}` : `${formatBytes(wastedBytes)} to ${most}`;
}

/** Adds up all links. */
export function sumLedger(links: readonly LinkPrefetches[]) {
  return links.reduce(
    (sum, link) => ({
      sent: sum.sent + link.sent,
      used: sum.used + link.used,
      unknown: sum.unknown + link.unknown,
      wasted: sum.wasted + link.unused + link.expired,
      bytes: sum.bytes + link.bytes,
      wastedBytes: sum.wastedBytes + link.wastedBytes,
      unknownBytes: sum.unknownBytes + link.unknownBytes,
    }),
    { sent: 0, used: 0, unknown: 0, wasted: 0, bytes: 0, wastedBytes: 0, unknownBytes: 0 },
  );
}

/** The outcomes of each link's prefetches, the most wasted bytes first. */
export function PrefetchLedger({ links, app }: { links: readonly LinkPrefetches[]; app?: string | undefined }) {
  const most = Math.max(0, ...links.map(({ sent }) => sent));
  const hasUnknown = links.some(({ unknown }) => unknown > 0);
  return (
    <table className="fold flight-table" aria-label="Prefetches by link">
      <thead>
        <tr>
          <th scope="col">Link to</th>
          <th scope="col">Wasted</th>
          <th scope="col">Of</th>
          <th scope="col">What became of them</th>
          <th scope="col">Sent</th>
          <th scope="col">Used</th>
          <th scope="col">Unused</th>
          <th scope="col">Expired</th>
          {hasUnknown ? <th scope="col">Unknown</th> : null}
        </tr>
      </thead>
      <tbody>
        {links.map((link) => (
          <tr key={link.path}>
            <th scope="row" className="sm:w-[28%]">
              <a href={flightsOfRoutePath('prefetch', link.path, app)} className="code font-medium">
                {link.path}
              </a>
            </th>
            <td data-label="Wasted" className="whitespace-nowrap">
              <span className={link.wastedBytes > 0 ? 'font-semibold text-error' : ''}>{describeWaste(link)}</span>
            </td>
            <td data-label="Of" className="whitespace-nowrap">
              {formatBytes(link.bytes)}
            </td>
            <td className="sm:w-[22%]">
              <OutcomeBar link={link} most={most} />
            </td>
            <td data-label="Sent">{link.sent}</td>
            <td data-label="Used">{link.used}</td>
            <td data-label="Unused">{link.unused}</td>
            <td data-label="Expired">{link.expired}</td>
            {hasUnknown ? <td data-label="Unknown">{link.unknown}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
