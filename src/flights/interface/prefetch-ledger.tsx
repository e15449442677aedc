import { countOf, formatBytes, formatCount } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import {
  countLinks,
  judgeWaste,
  type LedgerGroup,
  type LedgerGrouping,
  type LedgerPart,
  type PrefetchSums,
  type WasteCertainty,
} from '#src/flights/for-operator/prefetch-ledger.ts';
import type { PrefetchOutcome } from '../flight/prefetch-outcome.ts';
import { TableHead } from '#viewer/table.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFlightQuery, quoteRoute, withoutFilter, type FlightQuery } from './flight-query.ts';

const barWidth = 100;
/** One link may be on every page of an app. */
const partsShown = 20;
const outcomes = ['used', 'unused', 'expired', 'waiting', 'unknown'] as const satisfies readonly PrefetchOutcome[];

const meanings = {
  used: 'a navigation showed it',
  unused: 'its document ended, and no navigation had shown it',
  expired: 'it became too old, and no navigation had shown it',
  waiting: 'neither yet',
  unknown: 'nothing says it: they were counted together, or of another app, and no later request shows it',
} as const satisfies Record<PrefetchOutcome, string>;

const triggerWords = {
  viewport: 'came into view',
  hover: 'was pointed at',
  focus: 'got the focus',
  touch: 'was touched',
  render: 'was in the page, out of sight',
} as const satisfies Record<NonNullable<LedgerPart['trigger']>, string>;

/** How many prefetches had each outcome, compared with the group that has most. */
function OutcomeBar({ sums, most }: { sums: PrefetchSums; most: number }) {
  const scale = most === 0 ? 0 : barWidth / most;
  const starts = outcomes.map((_, index) => outcomes.slice(0, index).reduce((sum, outcome) => sum + sums[outcome], 0));
  return (
    <svg
      className="block h-3 w-full min-w-24"
      viewBox={`0 0 ${barWidth} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={outcomes.map((outcome) => `${formatCount(sums[outcome])} ${outcome}`).join(', ')}
    >
      {outcomes.map((outcome, index) => (
        <rect
          key={outcome}
          className={`ledger-${outcome}`}
          x={(starts[index] ?? 0) * scale}
          width={sums[outcome] * scale}
          height="12"
        />
      ))}
    </svg>
  );
}

/** Explains `wasted` and each colour. */
export function LedgerKey() {
  return (
    <details className="text-sm">
      <summary>
        {outcomes.map((outcome) => (
          <span key={outcome} className="me-3 inline-block" title={meanings[outcome]}>
            <span className={`ledger-key ledger-${outcome}`} />
            {outcome}
          </span>
        ))}
      </summary>
      <ul className="grid list-none gap-x-6 gap-y-0.5 p-0 sm:grid-cols-2">
        {outcomes.map((outcome) => (
          <li key={outcome}>
            <span className={`ledger-key ledger-${outcome}`} />
            <strong className="font-medium">{outcome}</strong>: {meanings[outcome]}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** `3 kB wasted, 12 kB unknown`: the second where nothing says what became of some. */
export function describeWaste({
  wastedBytes,
  unknownBytes,
}: Pick<PrefetchSums, 'wastedBytes' | 'unknownBytes'>): string {
  const wasted = `${formatBytes(wastedBytes)} wasted`;
  return unknownBytes === 0 ? wasted : `${wasted}, ${formatBytes(unknownBytes)} unknown`;
}

/** What a trait is called: of a link and of a page the path. */
function nameTrait(by: LedgerGrouping, name: string | undefined): string {
  switch (by) {
    case 'route':
    case 'link':
      return name ?? '';
    case 'page':
      return name ?? 'a page that is not known';
    case 'trigger':
      return name === undefined ? 'not known what triggered it' : `the link ${describeTrigger(name)}`;
  }
}

function describeTrigger(name: string): string {
  const found = Object.entries(triggerWords).find(([trigger]) => trigger === name);
  return found?.[1] ?? name;
}

/** The traits in which the parts of a group differ, in words: `from /lab, when the link came into view`. */
function describePart(by: LedgerGrouping, { link, page, trigger, told }: LedgerPart, name?: string): string {
  return [
    // Of a route's group the link is often its only address.
    ...(by === 'link' || (by === 'route' && link === name) ? [] : [link]),
    ...(told === undefined ? [] : [`“${told.text}”`]),
    ...(by === 'page' ? [] : [page === undefined ? 'from a page that is not known' : `from ${page}`]),
    ...(by === 'trigger' || trigger === undefined ? [] : [`when the link ${triggerWords[trigger]}`]),
  ].join(', ');
}

/** The group's parts. The first one is told without opening it: it wastes most. */
function Parts({ group, by }: { group: LedgerGroup; by: LedgerGrouping }) {
  const [first] = group.parts;
  if (!first) return null;
  const others = group.parts.length - 1;
  if (others === 0) {
    return (
      <p className="ledger-part" title={first.told?.place}>
        {describePart(by, first, group.name)}
      </p>
    );
  }
  return (
    <details className="ledger-part">
      <summary>
        {describePart(by, first, group.name)}{' '}
        <span className="whitespace-nowrap">and {countOf(others, 'other place')}</span>
      </summary>
      <ul className="list-none p-0">
        {group.parts.slice(0, partsShown).map((part) => (
          <li key={JSON.stringify([part.route, part.link, part.page, part.trigger, part.told])}>
            {describePart(by, part, group.name)}: {describeWaste(part)}, {countOf(part.sent, 'request')},{' '}
            {formatCount(part.used)} used
            {part.told === undefined ? null : <span className="code block">{part.told.place}</span>}
          </li>
        ))}
        {group.parts.length > partsShown ? (
          <li>
            The first {partsShown} of {formatCount(group.parts.length)}.
          </li>
        ) : null}
      </ul>
    </details>
  );
}

function GroupName({ group, by, query }: { group: LedgerGroup; by: LedgerGrouping; query: FlightQuery }) {
  const name = nameTrait(by, group.name);
  if (by === 'trigger' || group.name === undefined) return <span className="font-medium">{name}</span>;
  const list = withoutFilter({ ...query, view: 'list', order: undefined });
  const search = formatFlightQuery({
    ...list,
    kinds: by === 'page' ? [] : ['prefetch'],
    route: quoteRoute(group.name),
  });
  return (
    <Link to={`${flightsPath}${search}`} prefetch="intent" className="code font-medium">
      {name}
    </Link>
  );
}

/** Columns that not every ledger needs. */
type Columns = { readonly links: boolean; readonly waiting: boolean; readonly unknown: boolean };

type RowProps = {
  readonly group: LedgerGroup;
  readonly by: LedgerGrouping;
  readonly query: FlightQuery;
  readonly most: number;
  readonly columns: Columns;
};

function Row({ group, by, query, most, columns }: RowProps) {
  return (
    <tr>
      <th scope="row" className="sm:w-[36%]">
        <GroupName group={group} by={by} query={query} />
        <Parts group={group} by={by} />
      </th>
      <td data-label="Wasted">
        <span className={group.wastedBytes > 0 ? 'font-semibold text-error' : ''}>
          {formatBytes(group.wastedBytes)}
        </span>
      </td>
      <td data-label="Of Flight">{formatBytes(group.bytes)}</td>
      <td className="sm:w-[20%]">
        <OutcomeBar sums={group} most={most} />
      </td>
      {columns.links ? <td data-label="Links">{formatCount(countLinks([group]))}</td> : null}
      <td data-label="Requests">{formatCount(group.sent)}</td>
      <td data-label="Used">{formatCount(group.used)}</td>
      <td data-label="Unused">{formatCount(group.unused)}</td>
      <td data-label="Expired">{formatCount(group.expired)}</td>
      {columns.waiting ? <td data-label="Waiting">{formatCount(group.waiting)}</td> : null}
      {columns.unknown ? (
        <td data-label="Unknown">
          {formatCount(group.unknown)}
          {group.unknown > 0 ? <span className="text-quiet"> ({formatBytes(group.unknownBytes)})</span> : null}
        </td>
      ) : null}
    </tr>
  );
}

const heads = { route: 'Route', link: 'Link to', page: 'Page that prefetched', trigger: 'Trigger' } as const;
const labels = {
  route: 'Prefetches by route',
  link: 'Prefetches by link',
  page: 'Prefetches by page',
  trigger: 'Prefetches by trigger',
} as const;

/** What the order of a section's rows says. */
const sections = [
  ['certain', 'Wasted for certain, the most bytes first'],
  ['unknown', 'Nothing says what became of these, or of some of them: their order is no ranking'],
  ['none', 'None was wasted so far'],
] as const satisfies readonly (readonly [WasteCertainty, string])[];

const columnsAlways = 8;

function listColumns(by: LedgerGrouping, { links, waiting, unknown }: Columns) {
  return [
    { head: heads[by] },
    { head: 'Wasted', title: 'For certain: nobody used it before its page ended or it became too old' },
    { head: 'Of Flight', title: 'The Flight rows of all of them, before compression' },
    { head: 'What became of them' },
    ...(links ? [{ head: 'Links' }] : []),
    { head: 'Requests', title: 'A framework may send several for one link' },
    { head: 'Used' },
    { head: 'Unused' },
    { head: 'Expired' },
    ...(waiting ? [{ head: 'Waiting' }] : []),
    ...(unknown ? [{ head: 'Unknown', title: 'Nothing says what became of these: so much more may be wasted' }] : []),
  ];
}

type PrefetchLedgerProps = {
  /** What was wasted for certain first. */
  readonly groups: readonly LedgerGroup[];
  readonly by: LedgerGrouping;
  /** Of whose flights it is: the names lead to their list. */
  readonly query: FlightQuery;
};

/** The outcomes of prefetches by one of their traits, in sections by what is known of their waste. */
export function PrefetchLedger({ groups, by, query }: PrefetchLedgerProps) {
  const [first] = groups;
  if (by === 'trigger' && groups.length === 1 && first?.name === undefined) {
    return <p>What triggered these prefetches is not known: the browsers of this app do not report it.</p>;
  }
  const most = Math.max(0, ...groups.map(({ sent }) => sent));
  const columns = {
    links: by !== 'link',
    waiting: groups.some(({ waiting }) => waiting > 0),
    unknown: groups.some(({ unknown }) => unknown > 0),
  };
  const width = columnsAlways + Object.values(columns).filter(Boolean).length;
  return (
    <table className="fold flight-table ledger" aria-label={labels[by]}>
      <TableHead columns={listColumns(by, columns)} />
      {sections.map(([certainty, text]) => {
        const rows = groups.filter((group) => judgeWaste(group) === certainty);
        return rows.length === 0 ? null : (
          <tbody key={certainty}>
            <tr>
              <th scope="rowgroup" colSpan={width} className="text-quiet text-[0.8125rem] font-[550]">
                {text}
              </th>
            </tr>
            {rows.map((group) => (
              <Row key={group.name ?? ''} {...{ group, by, query, most, columns }} />
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
