import 'server-only';

import { sendAlertAgain } from '#src/actions/send-alert-again.ts';
import type { ShownDelivery } from '#src/alerts/channels.ts';
import { describeAlert } from '#src/alerts/describe-alert.ts';
import type { FormOutcome } from '#src/alerts/form-outcome.ts';
import { EmptyState } from '#src/components/empty-state.tsx';
import { formatUtc } from '#src/components/format-time.ts';
import { Moment } from '#src/components/moment.tsx';
import { faultPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

function What({ content }: Pick<ShownDelivery, 'content'>) {
  const { title, claim } = describeAlert(content, '');
  if (content.type !== 'fault') return <>{content.type === 'test' ? 'A test' : title}</>;
  return (
    <>
      {title}{' '}
      <Link to={faultPath(content.fault.id)} prefetch="intent" className="[overflow-wrap:anywhere]">
        {claim}
      </Link>
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
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">To</th>
          <th scope="col">When</th>
          <th scope="col">What came of it</th>
          <th scope="col">
            <span className="sr-only">Send again</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <th scope="row">
              <What content={delivery.content} />
            </th>
            <td data-label="To">{delivery.channel}</td>
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
