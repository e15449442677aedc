import 'server-only';

import { Link } from '#src/runtime/navigation/link.tsx';

import { findErrorsOfAnswer, type DigestlessAnswer, type ErrorOfAnswer } from '../kept/find-errors-of-answer.ts';
import { formatFaultPage } from './faults/fault-page-query.ts';

/** A message may be pages long. The rest is on the error's page. */
const messageShown = 200;

function ErrorLine({ error: { id, fault, name, message } }: { error: ErrorOfAnswer }) {
  const text = (
    <>
      <strong>{name || 'Error'}</strong> {message.slice(0, messageShown)}
    </>
  );
  return (
    <li>{fault === null ? text : <Link to={formatFaultPage(fault, { error: id, from: undefined })}>{text}</Link>}</li>
  );
}

const doubt = {
  address: 'Of the same address at that time, and without a request id: it may be of another answer.',
  time: 'Of that time, and without a request or an address of its own: it may be of another answer.',
} as const;

/** Leads from an answer that failed without a digest to what is known of it. Shows nothing where nothing is. */
export async function ErrorsOfAnswer({ answer }: { answer: DigestlessAnswer }) {
  const errors = await findErrorsOfAnswer(answer);
  const [first] = errors;
  if (!first) return null;
  return (
    <section aria-label="Errors" className="flight-remark" data-mark="bad">
      <ul className="list-none p-0">
        {errors.map((error) => (
          <ErrorLine key={error.id} error={error} />
        ))}
      </ul>
      {first.by === 'request' ? null : <p className="text-quiet">{doubt[first.by]}</p>}
    </section>
  );
}
