import './finding-item.css';

import { formatBytes, formatDuration, formatShare, type Finding } from '#flight';

import type { PanelProps } from '../opened-flight.ts';

type FindingItemProps = Pick<PanelProps, 'onOpen'> & { readonly finding: Finding; readonly total: number };

const weightNames: Record<Finding['weight'], string> = { problem: 'Problem', wait: 'Wait', cost: 'Cost' };

/** One finding: the number, what it is, what to do, and a link to it. */
export function FindingItem({ finding, total, onOpen }: FindingItemProps) {
  const { weight, title, advice, place } = finding;
  return (
    <li className="flight-finding" data-weight={weight}>
      <p className="flight-finding-number">
        <FindingNumber finding={finding} total={total} />
      </p>
      <div>
        <p className="flight-finding-title">{title}</p>
        {advice === '' ? null : <p className="text-sm text-quiet">{advice}</p>}
      </div>
      {place === undefined ? (
        <span />
      ) : (
        <button type="button" className="button-small" onClick={() => onOpen(place)}>
          Show<span className="sr-only">: {title}</span>
        </button>
      )}
    </li>
  );
}

function FindingNumber({ finding: { weight, bytes, ms }, total }: Pick<FindingItemProps, 'finding' | 'total'>) {
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
      <span>{formatShare(bytes, total)}</span>
    </>
  );
}
