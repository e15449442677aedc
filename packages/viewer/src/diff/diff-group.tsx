import type { DiffGroup } from '#flight';

import { describeCount, describeGroup, describeWeight } from './describe-diff.ts';
import { DiffContent } from './diff-content.tsx';
import { DiffPlace } from './diff-places.tsx';
import type { DiffLinks } from './diff-view.ts';

type DiffGroupItemProps = { readonly group: DiffGroup; readonly index: number; readonly links: DiffLinks };

/** Places listed within a group; a page of its own has the others. */
const placesShown = 10;

/** One change: what it is, what it weighs, what was and what is there, and where. */
export function DiffGroupItem({ group, index, links }: DiffGroupItemProps) {
  const { kind, count, entries } = group;
  const [first] = entries;
  const times = describeCount(group);
  return (
    <li className="diff-entry">
      <span className="diff-kind" data-diff={kind}>
        {kind}
      </span>
      <div className="stack-1 min-w-0">
        <p className="flex flex-wrap justify-between gap-x-4 max-w-none [overflow-wrap:anywhere]">
          <span>
            <strong className="code">{describeGroup(group)}</strong>
            {times === undefined ? null : `: ${times}`}
          </span>
          <span className="whitespace-nowrap text-quiet">{describeWeight(group)}</span>
        </p>
        <DiffContent group={group} />
        {first && count === 1 ? <DiffPlace entry={first} links={links} /> : null}
        {count > 1 ? (
          <details>
            <summary>Where</summary>
            <ol className="list-none p-0" aria-label="Places">
              {entries.slice(0, placesShown).map((entry, at) => (
                <li key={at}>
                  <DiffPlace entry={entry} links={links} />
                </li>
              ))}
            </ol>
            {count > placesShown ? links.toView({ group: index, page: 0 }, 'All places') : null}
          </details>
        ) : null}
      </div>
    </li>
  );
}
