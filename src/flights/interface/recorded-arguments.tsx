import { formatBytes } from '#flight';
import { Panel } from '#viewer/panel.tsx';
import type { RecordedFlight } from '../flight/flight-record.ts';

/** Enough to recognise a call. The exported file has everything that was kept. */
const bytesShown = 4_000;

/** The arguments of an action, as they came. */
export function RecordedArguments({ args }: { args: NonNullable<RecordedFlight['args']> }) {
  const { contentType, bytes, kept, isCut } = args;
  const text = new TextDecoder().decode(kept.subarray(0, bytesShown));
  return (
    <Panel title="Arguments">
      <p className="text-sm text-quiet">
        {formatBytes(bytes)} of <span className="code">{contentType || 'no type'}</span>
        {isCut ? `, of which ${formatBytes(kept.length)} were kept` : ''}
        {kept.length > bytesShown ? `; the first ${formatBytes(bytesShown)}` : ''}. The values of fields with
        secret-looking names were taken out before anything was written.
      </p>
      {text === '' ? <p className="text-sm">None.</p> : <pre>{text}</pre>}
    </Panel>
  );
}
