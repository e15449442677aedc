import 'server-only';

import { Fragment } from 'react';

import { countOf } from '#flight';
import { sendAlertAgain } from '#src/faults/actions/send-alert-again.ts';
import type { ShownDelivery } from '#src/faults/alerts/channels.ts';
import { headlineOf, describeAlert, routesAddress } from '#src/faults/alerts/describe-alert.ts';
import type { FormOutcome } from '#src/faults/alerts/form-outcome.ts';
import { countSummed, type AlertContent } from '#src/faults/alerts/message.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import { formatUtc } from '#src/ui/format-time.ts';
import { timeColumn } from '#src/ui/time-column.tsx';
import { appBuildsPath, faultPath, guardPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Table, type Column } from '#viewer/table.tsx';

function What({ content }: Pick<ShownDelivery, 'content'>) {
  const { title } = describeAlert(content, '');
  switch (content.type) {
    case 'test':
      return <>A test</>;
    case 'build':
      return <Link to={appBuildsPath(content.app)}>{`${title}: ${content.appName}`}</Link>;
    case 'tries':
    case 'secrets':
    case 'caches':
    case 'storms':
      return <Link to={guardPath}>{`${title}: ${content.appName}`}</Link>;
    case 'slow':
      return <Link to={routesAddress(content.app)}>{`${title}: ${content.appName}`}</Link>;
    case 'fault':
    case 'summary':
      return <Faults content={content} title={title} />;
  }
}

function Faults({ content, title }: { content: Extract<AlertContent, { type: 'fault' | 'summary' }>; title: string }) {
  const faults = content.type === 'fault' ? [content.fault] : content.named;
  const others = content.type === 'summary' && faults.length > 0 ? countSummed(content.faults) - faults.length : 0;
  return (
    <>
      {title}
      {faults.map((fault) => (
        <Fragment key={fault.id}>
          {' '}
          <Link to={faultPath(fault.id)} prefetch="intent" className="block [overflow-wrap:anywhere]">
            {headlineOf(fault)}
          </Link>
        </Fragment>
      ))}
      {others > 0 ? ` and ${countOf(others, 'other')}` : null}
    </>
  );
}

function State({ delivery }: { delivery: ShownDelivery }) {
  const { state, attempts, nextTime, lastTime, answer, content } = delivery;
  const tried = attempts === 1 ? 'once' : `${attempts} times`;
  switch (state) {
    case 'sent':
      return (
        <>
          sent <span className="code">{answer}</span>
          {attempts > 1 ? `, tried ${tried}` : ''}
        </>
      );
    case 'given-up':
      return (
        <>
          <strong className="font-semibold text-error">{content.type === 'test' ? 'not taken' : 'given up'}</strong>,
          tried {tried}: <span className="code">{answer}</span>
        </>
      );
    case 'waiting':
      if (lastTime === undefined) return <>waits to be sent</>;
      return (
        <>
          tried {tried}: <span className="code">{answer}</span>; again at {formatUtc(nextTime)}
        </>
      );
  }
}

function Again({ delivery: { id, state } }: { delivery: ShownDelivery }) {
  return (
    <form action={sendAlertAgain}>
      <input type="hidden" name="id" value={id} />
      <button className="button-small whitespace-nowrap">{state === 'waiting' ? 'Send now' : 'Send again'}</button>
    </form>
  );
}

type DeliveryListProps = {
  readonly deliveries: readonly ShownDelivery[];
  readonly outcome: FormOutcome | undefined;
  readonly now: number;
};

function listColumns({ outcome, now }: Omit<DeliveryListProps, 'deliveries'>): readonly Column<ShownDelivery>[] {
  const isSending = (id: string) =>
    outcome?.type === 'sent-again' && outcome.delivery === id && outcome.sent === undefined;
  return [
    { head: 'What', isRowName: true, cell: ({ content }) => <What content={content} /> },
    { head: 'To', className: 'min-w-20', cell: ({ channel }) => channel },
    timeColumn('When', now, ({ content }) => content.time),
    {
      head: 'What came of it',
      isPlain: true,
      className: '[overflow-wrap:anywhere]',
      cell: (delivery) => (
        <>
          <State delivery={delivery} />
          {isSending(delivery.id) ? ' It is being sent already.' : null}
        </>
      ),
    },
    { head: 'Send again', isHidden: true, cell: (delivery) => <Again delivery={delivery} /> },
  ];
}

/** What was sent, to whom, and what came of it. */
export function DeliveryList({ deliveries, ...props }: DeliveryListProps) {
  if (deliveries.length === 0) {
    return (
      <EmptyState title="Nothing was sent yet">
        <p>Every message is listed here, with what its receiver answered.</p>
      </EmptyState>
    );
  }
  return <Table label="Sent messages" columns={listColumns(props)} rows={deliveries} keyOf={({ id }) => id} />;
}
