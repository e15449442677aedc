import './finding-item.css';

import {
  formatBytes,
  formatDuration,
  formatShare,
  nameTransfer,
  type Finding,
  type FindingPart,
  type Flight,
  type Transfer,
} from '#flight';

import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { OpenSource } from '../source-link.tsx';

type FindingItemProps = Pick<PanelProps, 'onOpen'> & {
  readonly finding: Finding;
  readonly flight: Flight;
  readonly total: number;
  readonly transfer: Transfer | undefined;
};

/** What the smaller number of a cost is called: measured by the whole response, or estimated. */
function nameCompressed(transfer: Transfer | undefined): string {
  return transfer ? 'sent' : 'compressed';
}

const weightNames: Record<Finding['weight'], string> = { problem: 'Problem', wait: 'Wait', cost: 'Cost', note: 'Note' };

/** One finding: the number, what it is, what to do, and a link to it. */
export function FindingItem({ finding, flight, total, transfer, onOpen }: FindingItemProps) {
  const { weight, title, advice, place, parts } = finding;
  return (
    <li className="flight-finding" data-weight={weight}>
      <p className="flight-finding-number">
        <FindingNumber finding={finding} total={total} transfer={transfer} />
      </p>
      <div>
        <p className="max-w-none font-[550] [overflow-wrap:anywhere]">{title}</p>
        <p className="text-sm text-quiet">
          {advice}
          <OpenSource place={finding.source} />
        </p>
        {parts.length === 0 ? null : <Parts parts={parts} flight={flight} transfer={transfer} onOpen={onOpen} />}
      </div>
      {place.row < flight.rows.count ? (
        <button type="button" className="button-small" onClick={() => onOpen(place)}>
          Show<span className="sr-only">: {title}</span>
        </button>
      ) : (
        // A payload without one whole row has nothing that could be opened.
        <span />
      )}
    </li>
  );
}

function FindingNumber({ finding, total, transfer }: Pick<FindingItemProps, 'finding' | 'total' | 'transfer'>) {
  const { weight, bytes, compressed, ms } = finding;
  const name = weightNames[weight];
  if (ms !== undefined) {
    return (
      <>
        {formatDuration(ms)}
        <span>{name.toLowerCase()}</span>
      </>
    );
  }
  if (bytes === undefined) return name;
  return (
    <>
      {formatBytes(bytes)}
      <span title={`${formatShare(bytes, total)} of the payload; ${nameTransfer(transfer)} an estimate`}>
        ≈ {formatBytes(compressed ?? 0)} {nameCompressed(transfer)}
      </span>
    </>
  );
}

type PartsProps = Pick<FindingItemProps, 'flight' | 'transfer' | 'onOpen'> & { readonly parts: readonly FindingPart[] };

function Parts({ parts, flight, transfer, onOpen }: PartsProps) {
  return (
    <details className="text-sm">
      <summary>{summarise(parts)}</summary>
      <ul className="flight-finding-parts">
        {parts.map((part, index) => (
          <li key={index}>
            <PlaceLink flight={flight} place={part.place} onOpen={onOpen}>
              {part.title}
            </PlaceLink>
            <span className="text-quiet">
              {describePart(part, transfer)}
              <OpenSource place={part.source} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function summarise([first, ...others]: readonly FindingPart[]): string {
  if (!first || others.length === 0) return 'Where most of it is';
  const largest = first.bytes === undefined && first.ms === undefined ? '' : `, the largest ${first.title}`;
  return `${others.length + 1} parts${largest}`;
}

/** `2.45 kB, ≈ 180 B compressed`; `2.45 kB` where that is not known; `345 ms`. */
export function describePart({ bytes, compressed, ms }: FindingPart, transfer: Transfer | undefined): string {
  if (ms !== undefined) return formatDuration(ms);
  if (bytes === undefined) return '';
  if (compressed === undefined) return formatBytes(bytes);
  return `${formatBytes(bytes)}, ≈ ${formatBytes(compressed)} ${nameCompressed(transfer)}`;
}
