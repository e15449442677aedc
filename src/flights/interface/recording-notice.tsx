import { countOf, formatBytes, formatCount, formatDuration, formatLimit, formatShare } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import type { StoredRecording } from '#src/flights/for-operator/recording-state.ts';

import { DeleteAllFlights } from './list-forms.tsx';
import { formatPolicy, type Policy } from '#src/apps/policy.ts';
import { describePolicy } from './describe-policy.ts';

const dropWords = {
  memory: 'too much was waiting for the disk',
  disk: 'the disk could not be written',
  thread: 'the writer ended early',
  database: 'the database could not be reached',
  unreadable: 'it could not be read',
  usage: 'what browsers said about their prefetches',
} as const satisfies Record<keyof StoredRecording['drops'], string>;

const dropReasons = ['memory', 'disk', 'database', 'thread', 'unreadable', 'usage'] as const;

const appsNamed = 3;

/** It makes room before it is quite full: see src/flights/writer/sqlite-writer.ts. */
const fullShare = 0.9;

function describeDrops(drops: StoredRecording['drops']): string {
  const lost = dropReasons.filter((reason) => drops[reason] > 0);
  return lost.map((reason) => `${formatCount(drops[reason])} (${dropWords[reason]})`).join(', ');
}

function Lost({ drops, losses }: Pick<StoredRecording, 'drops' | 'losses'>) {
  const own = describeDrops(drops);
  if (own === '' && losses.length === 0) return <span>nothing lost</span>;
  return own === '' ? null : <span className="font-semibold text-error">lost since the start: {own}</span>;
}

/** Another process counts these, and a process does not know when it is started again. */
function LostOfApp({ loss, now }: { loss: StoredRecording['losses'][number]; now: number }) {
  return (
    <span className="font-semibold text-error">
      responses of {loss.app} lost: {describeDrops(loss.counts)}, last <Moment time={loss.lastAt} now={now} isDense />
    </span>
  );
}

type RecordingNoticeProps = {
  readonly recording: StoredRecording | undefined;
  readonly now: number;
  /** Where the list is of one app: how many of the flights are its. */
  readonly ofApp: { readonly name: string; readonly flights: number; readonly kept: Policy | undefined } | undefined;
  /** Apps of which something else is kept than of the rest, where the list is of several. */
  readonly otherwise: readonly { readonly name: string; readonly kept: Policy }[];
};

/**
 * What is being recorded, how much room it takes and what was lost, in one line that is always visible on the list. Behind it, how to
 * change it.
 */
export function RecordingNotice({ recording, now, ofApp, otherwise }: RecordingNoticeProps) {
  if (!recording) return <p className="text-error">There is no recorder in this process.</p>;
  const { standard, limits, bytes, flights, oldestAt, drops, losses } = recording;
  const policy = ofApp?.kept ?? recording.policy;
  return (
    <section aria-label="Recording" className="recording-notice">
      <details>
        <summary>
          <strong className={policy.mode === 'off' ? 'text-error' : ''}>
            {policy.mode === 'off' ? 'Recording is off' : `Recording ${describePolicy(policy)}`}
          </strong>
          {otherwise.slice(0, appsNamed).map(({ name, kept }) => (
            <span key={name}>
              of {name} {describePolicy(kept)}
            </span>
          ))}
          {otherwise.length > appsNamed ? (
            <span>of {otherwise.length - appsNamed} more apps something else</span>
          ) : null}
          <span>
            {countOf(flights, 'flight')}
            {ofApp ? `, ${formatCount(ofApp.flights)} of ${ofApp.name}` : ''}
          </span>
          <span title={`${formatBytes(bytes)} on the disk`}>
            {formatShare(bytes, limits.bytes)} of {formatLimit(limits.bytes)}
          </span>
          {oldestAt === undefined ? null : (
            <span>
              oldest <Moment time={oldestAt} now={now} isDense />
              {bytes >= limits.bytes * fullShare ? ': older ones made room' : ''}
            </span>
          )}
          <Lost drops={drops} losses={losses} />
          {losses.map((loss) => (
            <LostOfApp key={loss.app} loss={loss} now={now} />
          ))}
        </summary>
        <div className="panel stack-2 mt-2 px-4 py-3">
          <p>
            Start {ofApp?.kept ? `the proxy of ${ofApp.name}` : 'the server'} with another <code>RECORD</code>; now it
            is <code>{formatPolicy(ofApp?.kept ?? standard)}</code>. <code>all</code>: everything. <code>errors</code>:
            what fails. <code>sample:0.1</code>: a tenth of the documents with what follows from them, and what fails.{' '}
            <code>off</code>: nothing. <code>RECORD_MIB</code> and <code>RECORD_DAYS</code> set how much is kept (
            {formatLimit(limits.bytes)}) and for how long ({formatDuration(limits.ageMs)}); the oldest goes first.
          </p>
          <p>
            Payloads, their times, names of query parameters and arguments of actions are kept, without the values of
            fields with secret-looking names. Headers and cookies are never kept. These pages themselves are recorded
            only when they fail.
          </p>
          <DeleteAllFlights count={flights} />
        </div>
      </details>
    </section>
  );
}
