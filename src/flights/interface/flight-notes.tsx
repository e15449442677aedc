import type { ReactNode } from 'react';

import { formatBytes } from '#flight';
import type { RecordedFlight } from '../flight/flight-record.ts';

import { describeHits } from './flight-tags.tsx';

function Note({ mark, title, children }: { mark: 'bad' | 'cut'; title: string; children: ReactNode }) {
  return (
    <p role="note" className="flight-remark" data-mark={mark}>
      <strong>{title}</strong> {children}
    </p>
  );
}

/** The proxy saw no head of an answer, so it wrote one of its own. */
function isUnanswered({ source, status, outcome }: RecordedFlight): boolean {
  return source === 'proxy' && status === 0 && outcome === 'failed';
}

function Ending({ recorded }: { recorded: RecordedFlight }) {
  if (isUnanswered(recorded)) {
    return (
      <Note mark="bad" title="The app gave no answer.">
        It could not be reached, or its connection broke before the answer began. The visitor got the proxy’s own page,
        with status 502.
      </Note>
    );
  }
  switch (recorded.outcome) {
    case 'complete':
    case 'none':
      return null;
    case 'failed':
      return (
        <Note mark="bad" title="The stream broke.">
          Only what was written before that is here.
        </Note>
      );
    case 'left':
      // Of an answer that never began the payload's place says it.
      return recorded.bytes === 0 ? null : (
        <Note mark="cut" title="The browser left before the end.">
          All of this was written, but the browser may not have received it.
        </Note>
      );
  }
}

function Cut({ recorded }: { recorded: RecordedFlight }) {
  if (!recorded.isCut) return null;
  const of = recorded.bytes > recorded.body.length ? `Of ${formatBytes(recorded.bytes)} the` : 'The';
  return (
    <Note mark="cut" title="The recording was cut.">
      {of} first {formatBytes(recorded.body.length)} were kept: rows at the end are missing, and promises that they
      would have kept look open.
    </Note>
  );
}

/** What must be known before the picture is believed, each in a line. Most flights have none of it. */
export function FlightNotes({ recorded }: { recorded: RecordedFlight }) {
  const hits = describeHits(recorded);
  return (
    <>
      <Ending recorded={recorded} />
      <Cut recorded={recorded} />
      {recorded.trigger === 'save' ? (
        <p className="text-sm text-quiet">
          Sent to measure a save in development: the dev server asked for the experiment alone, without its page, and no
          browser took part.
        </p>
      ) : null}
      {recorded.status === 304 ? (
        <Note mark="cut" title="Only headers were sent.">
          {recorded.body.length > 0
            ? 'The browser had this payload already. This is what it had.'
            : 'The browser had a copy. What was in it is in the flight that brought it, where that is kept.'}
        </Note>
      ) : null}
      {hits === undefined ? null : (
        <Note mark="cut" title={`${hits}.`}>
          They were counted together. This is the first of them.
        </Note>
      )}
      {recorded.content === 'html' ? (
        <p className="text-sm text-quiet">
          Made at build time and served from a file: the Flight rows in its document, which have no times of their own.
        </p>
      ) : null}
    </>
  );
}
