import { formatCount } from '#flight';
import { DigestLink } from '#src/components/digest-link.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import { type Feedback, listFeedback } from '#src/reports/feedback/list-feedback.ts';

function Said({ feedback, now }: { feedback: Feedback; now: number }) {
  const { message, name, path, digest, app, receivedAt } = feedback;
  return (
    <li className="stack-1 border-b border-line pb-2.5 last:border-b-0 last:pb-0">
      <blockquote className="whitespace-pre-line [overflow-wrap:anywhere]">{message}</blockquote>
      <p className="flex flex-wrap gap-x-3 text-sm text-quiet">
        <span>{name || 'no name'}</span>
        <Moment time={receivedAt} now={now} isDense />
        {path ? <span className="code min-w-0">{path}</span> : null}
        {digest === undefined ? null : <DigestLink digest={digest} app={app} />}
      </p>
    </li>
  );
}

/** What people wrote about it. */
export async function FaultFeedback({ fault, now }: { fault: { readonly id: string }; now: number }) {
  const { items, total } = await listFeedback({ fault: fault.id });
  if (items.length === 0) return null;
  return (
    <Panel
      title="What people wrote"
      aside={<span className="text-sm text-quiet">{total === 1 ? 'once' : `${formatCount(total)} times`}</span>}
    >
      <p className="text-sm text-quiet">Anyone can write it: claims, not records.</p>
      <ul className="stack-2.5 list-none">
        {items.map((feedback) => (
          <Said key={feedback.id} feedback={feedback} now={now} />
        ))}
      </ul>
      {total > items.length ? <p className="text-sm text-quiet">The latest {items.length} are listed.</p> : null}
    </Panel>
  );
}
