import { formatCount } from '#flight';
import { timeColumn } from '#src/ui/time-column.tsx';
import type { NotKept } from '#src/faults/receive/list-not-kept.ts';
import { Table, type Column } from '#viewer/table.tsx';

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

function listColumns(now: number): readonly Column<NotKept>[] {
  return [
    { head: 'What', isRowName: true, cell: ({ type }) => type },
    {
      head: 'Why',
      isPlain: true,
      className: 'sm:w-full',
      cell: (row) => (
        <>
          {explain(row)} <span className="code text-quiet">{row.reason}</span>
        </>
      ),
    },
    {
      head: 'Dropped by',
      className: 'whitespace-nowrap',
      cell: ({ source }) => (source === 'receiver' ? 'this server' : 'its SDK'),
    },
    { head: 'How often', cell: ({ count }) => formatCount(count) },
    timeColumn('Last', now, (row) => row.lastTime),
  ];
}

/** Shows what was not kept of one app. */
export function NotKeptTable({ rows, label, now }: { rows: readonly NotKept[]; label: string; now: number }) {
  const keyOf = ({ source, type, reason }: NotKept) => `${source} ${type} ${reason}`;
  return <Table label={label} columns={listColumns(now)} rows={rows} keyOf={keyOf} />;
}
