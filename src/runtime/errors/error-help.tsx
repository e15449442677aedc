import { digestPath, feedbackPath } from '#src/server/http/addresses.ts';
import type { Contact } from '#src/server/http/contact.ts';

import { formatDigest } from '#report/digest.ts';

/**
 * What stands below the error panel: when it happened, whom to give the digest to, what the operator can do, and a field for
 * what the visitor was doing. Plain HTML: the server writes it into the error document, and the browser loads it when a panel
 * is shown (late-parts.tsx).
 */
export type ErrorHelpProps = {
  /** In its stored form. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The zone that the time is shown in; undefined: the reader's. */
  readonly zone: string | undefined;
  /** Of the page that failed. */
  readonly path: string;
  readonly contact: Contact;
  /** Somebody who may see the cause. */
  readonly isOperator: boolean;
  /** Inside another app without an interface: whether there is a recorder elsewhere. */
  readonly takesFeedback: boolean;
};

/**
 * In characters. src/faults/middleware/feedback.ts reads no more than 4 KiB of a form, in which a character may take nine bytes, and
 * one of a path three.
 */
const longestMessage = 350;
const longestPath = 150;

function When({ time, zone }: Pick<ErrorHelpProps, 'time' | 'zone'>) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long', timeZone: zone });
  return (
    <p>
      It happened on <time dateTime={new Date(time).toISOString()}>{format.format(time)}</time>.
    </p>
  );
}

function PassOn({ contact: { name, address, href }, digest }: Pick<ErrorHelpProps, 'contact' | 'digest'>) {
  if (name === '' && address === '') return null;
  const query = href.startsWith('mailto:') ? `?subject=${encodeURIComponent(`Error ${formatDigest(digest)}`)}` : '';
  return (
    <p>
      {name === '' ? 'You reach them here: ' : `This site is run by ${name}`}
      {name === '' || address === '' ? '' : ', '}
      {href === '' ? address : <a href={href + query}>{address}</a>}
    </p>
  );
}

function FeedbackForm({ digest, path }: Pick<ErrorHelpProps, 'digest' | 'path'>) {
  return (
    <form method="post" action={feedbackPath}>
      <input type="hidden" name="digest" value={digest} />
      <input type="hidden" name="path" value={path.length > longestPath ? '' : path} />
      <label>
        What were you doing? <span className="flight-error-optional">Optional</span>
        <textarea name="message" rows={2} required maxLength={longestMessage} />
      </label>
      <p className="flight-error-hint">Whoever runs this site reads it beside the error. Please write no passwords.</p>
      <button type="submit">Send</button>
    </form>
  );
}

export function ErrorHelp({ digest, time, zone, path, contact, isOperator, takesFeedback }: ErrorHelpProps) {
  return (
    // Its coming must not be read out: the panel around it is an alert.
    <div className="flight-error-help" aria-live="off">
      {isOperator ? (
        <p>
          <a href={digestPath(formatDigest(digest))} className="flight-error-cause">
            Show the cause
          </a>
        </p>
      ) : null}
      <When time={time} zone={zone} />
      <PassOn contact={contact} digest={digest} />
      {/* Only where there is somebody who reads it. */}
      {import.meta.env.FLIGHT_INSIDE === 'alone' && !takesFeedback ? null : (
        <FeedbackForm digest={digest} path={path} />
      )}
    </div>
  );
}
