import { Link } from '#src/runtime/navigation/link.tsx';
import { firstView } from '#src/viewer/diff/diff-view.ts';
import type { ChosenFlight } from './choose-box.tsx';
import { toDecodeAddress } from './decode-address.ts';

type CompareBarProps = { readonly chosen: readonly ChosenFlight[]; readonly onClear: () => void };

/** What is ticked to be compared. The first that was ticked is before. */
export function CompareBar({ chosen, onClear }: CompareBarProps) {
  const [before, after] = chosen;
  if (!before) return null;
  return (
    <section aria-label="To be compared" className="panel compare-bar">
      <p className="min-w-0 [overflow-wrap:anywhere]">
        {after ? (
          <>
            Before: <span className="code">{before.title}</span>, after: <span className="code">{after.title}</span>
          </>
        ) : (
          <>
            <span className="code">{before.title}</span> is ticked. Tick another, of this file or of another one, to
            compare the two.
          </>
        )}
      </p>
      <span className="flex flex-wrap items-center gap-3">
        {after ? (
          <Link
            to={toDecodeAddress({ kind: 'compare', before, after, view: firstView })}
            prefetch="never"
            scroll={false}
          >
            Compare the two
          </Link>
        ) : null}
        <button type="button" className="button-small" onClick={onClear}>
          Untick
        </button>
      </span>
    </section>
  );
}
