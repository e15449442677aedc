import { formatCount } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import type { NotKept } from '#src/faults/receive/list-not-kept.ts';
import { TableHead } from '#viewer/table-head.tsx';

/** Why this server dropped it. */
const received: Readonly<Record<string, string>> = {
  not_kept: 'This server does not keep that.',
  malformed: 'It could not be read.',
  too_large: 'It was too large, also without its largest parts.',
  excess: 'It was one more than an envelope may have.',
};

/** Why an SDK says it dropped it: https://develop.sentry.dev/sdk/telemetry/client-reports/ */
const dropped: Readonly<Record<string, string>> = {
  before_send: 'The app’s own beforeSend left it out.',
  event_processor: 'The app’s own event processor left it out.',
  sample_rate: 'The app’s sample rate left it out.',
  ignored: 'The app’s own list of what to ignore left it out.',
  ratelimit_backoff: 'This server had said that it does not keep that, or not so many.',
  network_error: 'This server could not be reached.',
  send_error: 'This server did not take it.',
  queue_overflow: 'The SDK had too much to send.',
  buffer_overflow: 'The SDK had too much to send.',
  internal_sdk_error: 'The SDK failed.',
  callback_error: 'A callback of the app failed.',
  no_parent_span: 'There was nothing that it belonged to.',
  invalid: 'The SDK found it malformed.',
};

function explain({ source, reason }: NotKept): string {
  return (source === 'receiver' ? received : dropped)[reason] ?? '';
}

/** Shows what was not kept of one app. On a narrow screen each row folds. */
export function NotKeptTable({ rows, label, now }: { rows: readonly NotKept[]; label: string; now: number }) {
  return (
    <table className="fold" aria-label={label}>
      <TableHead columns={['What', 'Why', 'Dropped by', 'How often', 'Last']} />
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.source} ${row.type} ${row.reason}`}>
            <th scope="row">{row.type}</th>
            <td className="sm:w-full">
              {explain(row)} <span className="code text-quiet">{row.reason}</span>
            </td>
            <td data-label="Dropped by" className="whitespace-nowrap">
              {row.source === 'receiver' ? 'this server' : 'its SDK'}
            </td>
            <td data-label="How often">{formatCount(row.count)}</td>
            <td data-label="Last" className="whitespace-nowrap">
              <Moment time={row.lastTime} now={now} isDense />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
