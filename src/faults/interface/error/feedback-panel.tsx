import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import type { Feedback, FeedbackList } from '#src/faults/feedback/list-feedback.ts';

function Item({ item, now }: { item: Feedback; now: number }) {
  const { message, name, path, receivedAt, source, app, digest } = item;
  return (
    <li className="stack-1.5 border-b border-line pb-3 last:border-b-0 last:pb-0">
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{message}</p>
      <p className="text-sm text-quiet [overflow-wrap:anywhere]">
        {name === '' ? '' : `${name}, `}
        {source === 'error-page' ? 'on the error page' : 'through the app'}
        {path === '' ? (
          ''
        ) : (
          <>
            {' '}
            of <span className="code">{path}</span>
          </>
        )}
        , <Moment time={receivedAt} now={now} />
        {digest === undefined ? (
          ''
        ) : (
          <>
            , digest <code>{showDigest(digest, app)}</code>
          </>
        )}
      </p>
    </li>
  );
}

/** What people wrote about an error or a fault, newest first. Nothing when nobody wrote. */
export function FeedbackPanel({ feedback, now }: { feedback: FeedbackList; now: number }) {
  const { items, total } = feedback;
  if (items.length === 0) return null;
  return (
    <Panel
      title="What people wrote"
      aside={
        total > items.length ? (
          <span className="text-sm text-quiet">
            The latest {items.length} of {total}
          </span>
        ) : null
      }
    >
      <p className="text-sm text-quiet">Anyone who has the digest can write here, so it is untrusted.</p>
      <ul className="stack-3">
        {items.map((item) => (
          <Item key={item.id} item={item} now={now} />
        ))}
      </ul>
    </Panel>
  );
}
