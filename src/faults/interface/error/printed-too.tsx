import { Moment } from '#src/ui/moment.tsx';
import { errorPath } from '#src/server/http/addresses.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** What the app's output has with the same digest and another text: nobody but a person who knows the app can say which is its own. */
export function PrintedTooNote({ printedToo, now }: Pick<ErrorDetails, 'printedToo'> & { readonly now: number }) {
  if (printedToo.length === 0) return null;
  return (
    <section aria-label="Printed with the same digest" className="panel stack-1.5 px-4 py-3 text-sm">
      <p>
        The app’s output has this digest with another message or other frames, too. One of them may be text that a
        visitor got into the output:
      </p>
      <ul className="stack-1 list-none p-0">
        {printedToo.map(({ id, name, message, time }) => (
          <li key={id}>
            <Link to={errorPath(id)} prefetch="intent" className="[overflow-wrap:anywhere]">
              {name}: {message.slice(0, 200)}
            </Link>{' '}
            <Moment time={time} now={now} isDense />
          </li>
        ))}
      </ul>
    </section>
  );
}
