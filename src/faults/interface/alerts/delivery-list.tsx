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
import { Moment } from '#src/ui/moment.tsx';
import { appBuildsPath, faultPath, guardPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { TableHead } from '#viewer/table-head.tsx';

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

/** What was sent, to whom, and what came of it. On a narrow screen each row folds. */
export function DeliveryList({ deliveries, outcome, now }: DeliveryListProps) {
  if (deliveries.length === 0) {
    return (
      <EmptyState title="Nothing was sent yet">
        <p>Every message is listed here, with what its receiver answered.</p>
      </EmptyState>
    );
  }
  return (
    <table className="fold" aria-label="Sent messages">
      <TableHead columns={['What', 'To', 'When', 'What came of it', { hidden: 'Send again' }]} />
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <th scope="row">
              <What content={delivery.content} />
            </th>
            <td data-label="To" className="min-w-20">
              {delivery.channel}
            </td>
            <td data-label="When" className="whitespace-nowrap">
              <Moment time={delivery.content.time} now={now} isDense />
            </td>
            <td className="[overflow-wrap:anywhere]">
              <State delivery={delivery} />
              {outcome?.type === 'sent-again' && outcome.delivery === delivery.id && outcome.sent === undefined
                ? ' It is being sent already.'
                : null}
            </td>
            <td>
              <Again delivery={delivery} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
