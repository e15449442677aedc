import { findCarrier } from '#src/components/flights/find-carrier.ts';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import type { FaultDetails } from '#src/reports/faults/find-fault-page.ts';
import { type KeptOccurrence, listKeptOccurrences } from '#src/reports/faults/kept-occurrences.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';

type RowProps = {
  readonly occurrence: KeptOccurrence;
  readonly app: string;
  readonly to: string;
  readonly isShown: boolean;
  readonly now: number;
};

/** On a narrow screen what is not known takes no line. */
function Cell({ text }: { text: string }) {
  return (
    <td data-beside className={text === '' ? 'max-sm:hidden' : 'code'}>
      {text === '' ? '–' : text}
    </td>
  );
}

/** An error of the app's output has no path of its own. */
async function Path({ occurrence, app }: Pick<RowProps, 'occurrence' | 'app'>) {
  if (occurrence.path !== '') return occurrence.path;
  const carrier = await findCarrier({ ...occurrence, app, requestId: '', traceId: '' });
  return carrier ? `${carrier.path} (from its flight)` : 'not known';
}

function Row({ occurrence, app, to, isShown, now }: RowProps) {
  const { time, side, release, environment, digest, user } = occurrence;
  return (
    <tr className={isShown ? 'bg-lit' : ''}>
      <th scope="row" data-beside>
        <Link to={to} prefetch="intent" aria-current={isShown ? 'true' : undefined}>
          <Moment time={time} now={now} isDense />
        </Link>
      </th>
      <td data-beside>{side === 'server' ? 'server' : 'browser, a claim'}</td>
      <td className="code">
        <Path occurrence={occurrence} app={app} />
      </td>
      <Cell text={[release, environment].filter((text) => text !== '').join(' · ')} />
      <Cell text={digest === null ? '' : showDigest(digest, app)} />
      <Cell text={user ?? ''} />
    </tr>
  );
}

type FaultOccurrencesProps = {
  readonly fault: FaultDetails;
  /** The key of the one that is shown. */
  readonly shown: string | undefined;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

const anchor = '#occurrences';

/** The kept occurrences, newest first, a page at a time. */
export async function FaultOccurrences({ fault, shown, asked, now }: FaultOccurrencesProps) {
  if (shown === undefined) return null;
  const { id, app } = fault;
  const { occurrences, newer, older } = await listKeptOccurrences(id, asked.from);
  const { occurrence, from } = asked;
  return (
    <div id="occurrences">
      <Panel title="Occurrences that are kept">
        <table className="fold" aria-label="Occurrences">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Side</th>
              <th scope="col">Path</th>
              <th scope="col">Release</th>
              <th scope="col">Digest</th>
              <th scope="col">User</th>
            </tr>
          </thead>
          <tbody>
            {occurrences.map((one) => (
              <Row
                key={`${one.side} ${one.key}`}
                occurrence={one}
                app={app}
                to={formatFaultPage(id, { occurrence: one.key, from })}
                isShown={one.key === shown}
                now={now}
              />
            ))}
          </tbody>
        </table>
        {newer !== undefined || older !== undefined ? (
          <nav aria-label="Pages of occurrences" className="flex flex-wrap gap-x-6 gap-y-2">
            {newer === undefined ? null : (
              <Link to={formatFaultPage(id, { occurrence, from: newer ?? undefined }, anchor)} prefetch="never">
                Newer ones
              </Link>
            )}
            {older === undefined ? null : (
              <Link to={formatFaultPage(id, { occurrence, from: older }, anchor)} prefetch="never">
                Older ones
              </Link>
            )}
          </nav>
        ) : null}
      </Panel>
    </div>
  );
}
