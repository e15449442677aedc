import './flight-diff.css';

import { formatCount, nameFramework, type FlightDiff as Diff } from '#flight';

import { EmptyState } from '../empty-state.tsx';
import { Panel } from '../panel.tsx';
import { describeDiff, describeOwn } from './describe-diff.ts';
import { DiffCauses } from './diff-causes.tsx';
import { DiffGroupItem } from './diff-group.tsx';
import { DiffPlaces } from './diff-places.tsx';
import { DiffSteps } from './diff-steps.tsx';
import { firstView, groupsOfPage, type DiffLinks, type DiffView } from './diff-view.ts';
import { NotSent } from './not-sent.tsx';

type FlightDiffProps = { readonly diff: Diff; readonly view: DiffView; readonly links: DiffLinks };

const kinds = ['changed', 'added', 'removed', 'moved'] as const;

function Unlisted({ diff: { unlisted, isCut } }: { diff: Diff }) {
  return (
    <>
      {unlisted.groups === 0 ? null : (
        <p className="text-sm text-quiet">
          {unlisted.differences === 1
            ? 'One more difference, smaller than those listed, is counted and not listed.'
            : `${formatCount(unlisted.differences)} more differences, each smaller than those listed, are counted and not listed.`}
        </p>
      )}
      {isCut ? (
        <p className="text-sm text-quiet">
          The payloads hold more values than are compared at once. What comes after those was not compared.
        </p>
      ) : null}
    </>
  );
}

type GroupListProps = {
  readonly groups: Diff['groups'];
  readonly label: string;
  readonly from: number;
  readonly links: DiffLinks;
};

function GroupList({ groups, label, from, links }: GroupListProps) {
  if (groups.length === 0) return null;
  return (
    <ol className="list-none p-0 text-sm" aria-label={label} start={from + 1}>
      {groups.map((group, index) => (
        <DiffGroupItem key={from + index} group={group} index={from + index} links={links} />
      ))}
    </ol>
  );
}

/** The framework's own data come after the page's: closed, because they are many and small, and nobody wrote them. */
function Groups({ diff, page, links }: { diff: Diff; page: number; links: DiffLinks }) {
  const from = page * groupsOfPage;
  const shown = diff.groups.slice(from, from + groupsOfPage);
  const steps = { count: diff.groups.length, size: groupsOfPage, page, links, group: undefined };
  const first = shown.findIndex(({ isOwnData }) => isOwnData);
  const count = first < 0 ? shown.length : first;
  return (
    <>
      {shown.length === 0 ? <p>There is no such page.</p> : null}
      {first === 0 && page === 0 ? <p>Nothing in the page itself is different.</p> : null}
      <GroupList groups={shown.slice(0, count)} label="Differences" from={from} links={links} />
      {first < 0 || !diff.own ? null : (
        <details className="py-[0.6rem]">
          <summary>{describeOwn(diff.own)}</summary>
          <GroupList
            groups={shown.slice(count)}
            label={`Differences of ${nameFramework(diff.own.framework)}’s own data`}
            from={from + count}
            links={links}
          />
        </details>
      )}
      <DiffSteps {...steps} />
      {from + shown.length >= diff.groups.length ? <Unlisted diff={diff} /> : null}
    </>
  );
}

/**
 * What is different between two flights: the difference in one line, which elements account for it, and each difference once,
 * the heaviest first. The ids of rows do not count, because they differ from render to render.
 */
export function FlightDiff({ diff, view, links }: FlightDiffProps) {
  const group = view.group === undefined ? undefined : diff.groups[view.group];
  const total = kinds.reduce((sum, kind) => sum + diff.counts[kind], 0);
  if (group && view.group !== undefined) {
    return (
      <Panel title="One of the differences" aside={links.toView(firstView, 'All differences')}>
        <DiffPlaces group={group} index={view.group} page={view.page} links={links} />
      </Panel>
    );
  }
  return (
    <>
      <p className="text-lg [overflow-wrap:anywhere]">
        <strong>{describeDiff(diff)}</strong>
      </p>
      <DiffCauses diff={diff} />
      <Panel
        title="What is different"
        aside={
          total > 0 ? (
            <span className="text-sm text-quiet">
              {kinds
                .filter((kind) => diff.counts[kind] > 0)
                .map((kind) => `${formatCount(diff.counts[kind])} ${kind}`)
                .join(', ')}
            </span>
          ) : null
        }
      >
        {total === 0 ? (
          <EmptyState title="Nothing">
            <p>The two payloads have the same content. Only the ids of their rows may differ.</p>
          </EmptyState>
        ) : (
          <Groups diff={diff} page={view.page} links={links} />
        )}
        <NotSent notSent={diff.notSent} />
      </Panel>
    </>
  );
}
