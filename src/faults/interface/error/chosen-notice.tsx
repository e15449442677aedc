import { formatCount, formatDuration } from '#flight';
import { formatUtc } from '#src/ui/format-time.ts';
import { errorPath } from '#src/server/http/addresses.ts';
import type { Choice } from '#src/faults/digests/choose-error.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

function describeChoice({ type, count, isCut, asked, candidates: [shown] }: Choice): string {
  switch (type) {
    case 'only':
      return 'Below is the only one of that time and place.';
    case 'one-of':
      return count === 1
        ? 'Below is a guess: the only one that is kept and fits.'
        : `Below is a guess: the nearest of ${isCut ? 'at least ' : ''}${formatCount(count)} that fit.`;
    case 'nearest': {
      const away = asked.at && shown ? `, ${formatDuration(Math.abs(shown.time - asked.at.time))} away` : '';
      return `None that is kept fits. Below is a guess: the nearest${away}.`;
    }
  }
}

function describePage({ isPathFound, isPathKnown }: Choice): string {
  if (isPathFound) return '';
  return isPathKnown ? ' None near that time was on that page.' : ' On which page they were is not known.';
}

/** Shows why it is this error of several with one digest. What is a guess says so, and the others are a click away. */
export function ChosenNotice({ choice }: { choice: Choice }) {
  const { type, isPastNear, count, candidates } = choice;
  const others = type === 'only' ? [] : candidates.slice(1);
  const more = type === 'one-of' ? count - candidates.length : 0;
  return (
    <div className="stack-1.5">
      <p>
        <strong>{describeChoice(choice)}</strong>
        {describePage(choice)}
        {isPastNear ? ' Errors that may be of that time were deleted, so it may be none of those that are kept.' : ''}
      </p>
      {others.length > 0 ? (
        <details open={others.length < 8}>
          <summary>{type === 'one-of' ? 'The others that fit' : 'Others that were near'}</summary>
          <ul className="list-none p-0 pt-1 text-sm">
            {others.map(({ id, time, path }) => (
              <li key={id} className="flex flex-wrap gap-x-4 py-0.5">
                <Link to={errorPath(id)} prefetch="never">
                  {formatUtc(time)}
                </Link>
                <span className="code min-w-0 text-quiet">{path || 'page not known'}</span>
              </li>
            ))}
          </ul>
          {more > 0 ? (
            <p className="text-sm text-quiet">And {formatCount(more)} more: say the second, or the page.</p>
          ) : null}
        </details>
      ) : null}
    </div>
  );
}
