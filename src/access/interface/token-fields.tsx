import { longestTokenName, mintTokenId } from '#src/access/tokens.ts';

const lifetimes = [
  { days: 7, name: 'in a week' },
  { days: 30, name: 'in 30 days' },
  { days: 90, name: 'in 90 days' },
  { days: 365, name: 'in a year' },
];
const usualDays = 90;

/** What each form for a token asks. */
export function TokenFields() {
  return (
    <>
      <input type="hidden" name="id" value={mintTokenId()} />
      <div className="flex flex-wrap items-end gap-3">
        <label className="stack-1">
          <span className="block">What it is for</span>
          <input name="name" required maxLength={longestTokenName} autoComplete="off" className="w-64 max-w-full" />
        </label>
        <label className="stack-1">
          <span className="block">It ends</span>
          <select name="days" defaultValue={String(usualDays)}>
            {lifetimes.map(({ days, name }) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
            <option value="">never</option>
          </select>
        </label>
      </div>
    </>
  );
}
