import { formatCount } from '#flight';
import { Link } from '#src/runtime/navigation/link.tsx';

/** More than a person reads at once; a tab with a shop in it has thousands. */
export const rowsShown = 200;

type MoreRowsProps = {
  readonly skip: number;
  readonly total: number;
  /** There are more than were read. */
  readonly isMore: boolean;
  readonly path: string;
};

/** How many rows there are besides those that are shown, and the way to them. */
export function MoreRows({ skip, total, isMore, path }: MoreRowsProps) {
  const [before, after] = [Math.min(skip, total), Math.max(0, total - skip - rowsShown)];
  if (before + after === 0) return null;
  const earlier = Math.max(0, skip - rowsShown);
  return (
    <nav aria-label="Rows" className="flex flex-wrap gap-x-4 text-sm">
      {before > 0 ? (
        <Link to={earlier === 0 ? path : `${path}?skip=${earlier}`}>{formatCount(before)} before these</Link>
      ) : null}
      {after > 0 ? (
        <Link to={`${path}?skip=${skip + rowsShown}`}>
          {isMore ? 'at least ' : ''}
          {formatCount(after)} more after these
        </Link>
      ) : null}
    </nav>
  );
}
