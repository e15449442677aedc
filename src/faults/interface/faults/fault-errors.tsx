import { PageOfError } from '#src/faults/interface/error/page-of-error.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { Term } from '#viewer/term.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { type KeptError, listKeptErrors } from '#src/faults/grouping/kept-errors.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Table, type Column } from '#viewer/table.tsx';

import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';

/** A column of texts. On a narrow screen what is not known takes no line. */
function textColumn(head: Column<KeptError>['head'], textOf: (error: KeptError) => string): Column<KeptError> {
  return {
    head,
    isPlain: true,
    isBeside: true,
    className: (error) => (textOf(error) === '' ? 'max-sm:hidden' : 'code'),
    cell: (error) => textOf(error) || '–',
  };
}

type ListProps = {
  readonly app: string;
  readonly now: number;
  readonly isShown: (error: KeptError) => boolean;
  readonly addressOf: (error: KeptError) => string;
};

function listColumns({ app, now, isShown, addressOf }: ListProps): readonly Column<KeptError>[] {
  return [
    {
      head: 'When',
      isRowName: true,
      isBeside: true,
      cell: (error) => (
        <Link to={addressOf(error)} prefetch="intent" aria-current={isShown(error) ? 'true' : undefined}>
          <Moment time={error.time} now={now} isDense />
        </Link>
      ),
    },
    {
      head: 'Side',
      isPlain: true,
      isBeside: true,
      cell: ({ side }) => (side === 'server' ? 'server' : 'browser, untrusted'),
    },
    { head: 'Path', isPlain: true, className: 'code', cell: (error) => <PageOfError app={app} error={error} /> },
    textColumn('Release', ({ release, environment }) =>
      [release, environment].filter((text) => text !== '').join(' · '),
    ),
    textColumn(
      <Term key="Digest" word="digest">
        Digest
      </Term>,
      ({ digest }) => (digest === null ? '' : showDigest(digest, app)),
    ),
    textColumn('User', ({ user }) => user ?? ''),
  ];
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
  const isShown = ({ key }: KeptError) => key === shown;
  const addressOf = ({ key }: KeptError) => formatFaultPage(id, { error: key, from });
  return (
    <div id="errors">
      <Panel title="Errors that are kept" word="error">
        <Table
          label="Errors"
          columns={listColumns({ app, now, isShown, addressOf })}
          rows={errors}
          keyOf={({ side, key }) => `${side} ${key}`}
          rowProps={(one) => ({ className: isShown(one) ? 'bg-lit' : undefined })}
        />
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
