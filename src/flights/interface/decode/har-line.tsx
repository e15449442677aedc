import { formatBytes, formatDuration } from '#flight';

import { KindBadge } from '#src/ui/kind-badge.tsx';
import type { HarRow } from './har-rows.ts';

type HarLineProps = { readonly row: HarRow; readonly span: number; readonly onOpen: () => void };

const unknown = {
  flight: '',
  response: 'The HAR does not say',
  transferred: 'The HAR does not say, or it came from a cache',
};

function Size({ bytes, name }: { bytes: number | undefined; name: 'flight' | 'response' | 'transferred' }) {
  return (
    <span className={`har-${name}`} title={bytes === undefined ? unknown[name] : undefined}>
      <span className="sr-only">{name} </span>
      {bytes === undefined ? '–' : formatBytes(bytes)}
    </span>
  );
}

/** When it was asked for, waited for and received, on the time of the whole file. */
function Bar({ row: { startMs, firstByteMs, totalMs }, span }: Pick<HarLineProps, 'row' | 'span'>) {
  if (startMs === undefined) return <span className="har-bar" title="Its time cannot be read" />;
  const share = (ms: number) => `${((ms / span) * 100).toFixed(3)}%`;
  return (
    <span className="har-bar" title={`${formatDuration(startMs)} after the first request`}>
      <span
        className="har-wait"
        style={{ insetInlineStart: share(startMs), width: `max(1px, ${share(firstByteMs)})` }}
      />
      <span
        className="har-receive"
        style={{ insetInlineStart: share(startMs + firstByteMs), width: `max(2px, ${share(totalMs - firstByteMs)})` }}
      />
    </span>
  );
}

/** One flight of a HAR, as a button that opens it. */
export function HarLine({ row, span, onOpen }: HarLineProps) {
  return (
    <button type="button" className="har-line" data-line={row.index} onClick={onOpen}>
      <span className="har-kind">
        <KindBadge kind={row.kind} />
      </span>
      <span className="har-path code" title={row.title}>
        {row.title}
      </span>
      <span className="har-status" data-bad={row.status >= 400 || undefined}>
        {row.status}
        {row.note === undefined ? '' : `, ${row.note}`}
      </span>
      <span className="har-duration">{formatDuration(row.totalMs)}</span>
      <Size bytes={row.flightBytes} name="flight" />
      <Size bytes={row.responseBytes} name="response" />
      <Size bytes={row.transferredBytes} name="transferred" />
      <Bar row={row} span={span} />
    </button>
  );
}
