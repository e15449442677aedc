import type { Change } from './watch-result.ts';

/** The names of more help nobody, and would not fit into the lines that are kept free for them; all of them are lit. */
const mostNamed = 2;

function Names({ changes }: { readonly changes: readonly Change[] }) {
  const more = changes.length - mostNamed;
  return (
    <>
      {changes.slice(0, mostNamed).map(({ name }, index) => (
        <span key={index}>
          {index === 0 ? '' : ', '}
          <code>{name}</code>
        </span>
      ))}
      {more > 0 ? ` and ${more} more` : ''}
    </>
  );
}

type ChangedPartsProps = {
  readonly changes: readonly Change[] | undefined;
  /** What the row is there for: said where it changed nothing at once. */
  readonly use: string;
};

/** What a row did to the result, in words; what is only likely is said as that. */
export function ChangedParts({ changes, use }: ChangedPartsProps) {
  if (changes === undefined) return null;
  const [sure, late] = [changes.filter(({ isLate }) => !isLate), changes.filter(({ isLate }) => isLate)];
  return (
    <>
      {sure.length === 0 ? (
        `Nothing new in the result. ${use}`
      ) : (
        <>
          New in the result: <Names changes={sure} />.
        </>
      )}
      {late.length === 0 ? null : (
        <>
          {' '}
          Later <Names changes={late} /> changed: a guess that it belongs to this row, it may be the component’s own
          doing.
        </>
      )}
    </>
  );
}
