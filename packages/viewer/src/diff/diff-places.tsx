import { formatBytes, formatCount, type DiffEntry, type DiffGroup } from '#flight';

import { describeCount, describeGroup } from './describe-diff.ts';
import { DiffContent } from './diff-content.tsx';
import { DiffSteps } from './diff-steps.tsx';
import { differencesOfPage, type DiffLinks } from './diff-view.ts';

/** Steps shown of a path. Its end is the useful part. */
const stepsShown = 6;

/** Shows where a difference is, with links to it in either flight. */
export function DiffPlace({ entry, links }: { readonly entry: DiffEntry; readonly links: DiffLinks }) {
  const { path, before, after } = entry;
  const steps = path.slice(-stepsShown);
  return (
    <p className="diff-place">
      <span className="code text-quiet">
        {path.length > steps.length ? '… › ' : ''}
        {steps.join(' › ') || 'the root'}
      </span>
      {before?.place ? (
        <span>{links.toPlace('before', before.place, 'before', `Before, ${formatBytes(before.bytes)}: its row`)}</span>
      ) : null}
      {after?.place ? (
        <span>{links.toPlace('after', after.place, 'after', `After, ${formatBytes(after.bytes)}: its row`)}</span>
      ) : null}
    </p>
  );
}

type DiffPlacesProps = {
  readonly group: DiffGroup;
  readonly index: number;
  readonly page: number;
  readonly links: DiffLinks;
};

/** All places of one change, a page at a time. */
export function DiffPlaces({ group, index, page, links }: DiffPlacesProps) {
  const from = page * differencesOfPage;
  const shown = group.entries.slice(from, from + differencesOfPage);
  const missing = group.count - group.entries.length;
  return (
    <>
      <p>
        <strong>{describeGroup(group)}</strong> {group.kind}
        {group.count === 1 ? '' : `, ${describeCount(group)}`}
      </p>
      <DiffContent group={group} />
      <ol className="list-none p-0 text-sm" aria-label="Places" start={from + 1}>
        {shown.map((entry, at) => (
          <li key={from + at}>
            <DiffPlace entry={entry} links={links} />
          </li>
        ))}
      </ol>
      {shown.length === 0 ? <p>There is no such page.</p> : null}
      <DiffSteps count={group.entries.length} size={differencesOfPage} page={page} group={index} links={links} />
      {missing > 0 ? (
        <p className="text-sm text-quiet">
          The first {formatCount(group.entries.length)} of {formatCount(group.count)} are listed.
        </p>
      ) : null}
    </>
  );
}
