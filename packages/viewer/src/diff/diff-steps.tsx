import { formatCount } from '#flight';

import type { DiffLinks } from './diff-view.ts';

type DiffStepsProps = {
  readonly count: number;
  readonly size: number;
  readonly page: number;
  readonly group: number | undefined;
  readonly links: DiffLinks;
};

/** Shows which part of a list is shown, and the way to the others. Nothing when all of it is shown. */
export function DiffSteps({ count, size, page, group, links }: DiffStepsProps) {
  if (count <= size) return null;
  const last = Math.ceil(count / size) - 1;
  const from = page * size;
  return (
    <nav aria-label="Pages of the differences" className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      <span className="text-quiet">
        {formatCount(from + 1)} to {formatCount(Math.min(count, from + size))} of {formatCount(count)}
      </span>
      {page > 1 ? links.toView({ group, page: 0 }, 'First') : null}
      {page > 0 ? links.toView({ group, page: page - 1 }, 'Previous') : null}
      {page < last ? links.toView({ group, page: page + 1 }, 'Next') : null}
      {page < last - 1 ? links.toView({ group, page: last }, 'Last') : null}
    </nav>
  );
}
