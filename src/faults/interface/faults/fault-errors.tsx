import { PageOfError } from '#src/faults/interface/error/page-of-error.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { Term } from '#viewer/term.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { type KeptError, listKeptErrors } from '#src/faults/grouping/kept-errors.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { TableHead } from '#viewer/table-head.tsx';

import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';

type RowProps = {
  readonly error: KeptError;
  readonly app: string;
  readonly to: string;
  readonly isShown: boolean;
  readonly now: number;
};

/** A cell of the table. On a narrow screen what is not known takes no line. */
function Cell({ text }: { text: string }) {
  return (
    <td data-beside className={text === '' ? 'max-sm:hidden' : 'code'}>
      {text === '' ? '–' : text}
    </td>
  );
}

function Row({ error, app, to, isShown, now }: RowProps) {
  const { time, side, release, environment, digest, user } = error;
  return (
    <tr className={isShown ? 'bg-lit' : ''}>
      <th scope="row" data-beside>
        <Link to={to} prefetch="intent" aria-current={isShown ? 'true' : undefined}>
          <Moment time={time} now={now} isDense />
        </Link>
      </th>
      <td data-beside>{side === 'server' ? 'server' : 'browser, untrusted'}</td>
      <td className="code">
        <PageOfError app={app} error={error} />
      </td>
      <Cell text={[release, environment].filter((text) => text !== '').join(' · ')} />
      <Cell text={digest === null ? '' : showDigest(digest, app)} />
      <Cell text={user ?? ''} />
    </tr>
  );
}

type FaultErrorsProps = {
  readonly fault: FaultDetails;
  /** The key of the one that is shown. */
  readonly shown: string | undefined;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

const anchor = '#errors';

/** The kept errors, newest first, a page at a time. */
export async function FaultErrors({ fault, shown, asked, now }: FaultErrorsProps) {
  if (shown === undefined) return null;
  const { id, app } = fault;
  const { errors, newer, older } = await listKeptErrors(id, asked.from);
  const { error, from } = asked;
  return (
    <div id="errors">
      <Panel title="Errors that are kept" word="error">
        <table className="fold" aria-label="Errors">
          <TableHead
            columns={[
              'When',
              'Side',
              'Path',
              'Release',
              <Term key="Digest" word="digest">
                Digest
              </Term>,
              'User',
            ]}
          />
          <tbody>
            {errors.map((one) => (
              <Row
                key={`${one.side} ${one.key}`}
                error={one}
                app={app}
                to={formatFaultPage(id, { error: one.key, from })}
                isShown={one.key === shown}
                now={now}
              />
            ))}
          </tbody>
        </table>
        {newer !== undefined || older !== undefined ? (
          <nav aria-label="Pages of errors" className="flex flex-wrap gap-x-6 gap-y-2">
            {newer === undefined ? null : (
              <Link to={formatFaultPage(id, { error, from: newer ?? undefined }, anchor)} prefetch="never">
                Newer ones
              </Link>
            )}
            {older === undefined ? null : (
              <Link to={formatFaultPage(id, { error, from: older }, anchor)} prefetch="never">
                Older ones
              </Link>
            )}
          </nav>
        ) : null}
      </Panel>
    </div>
  );
}
