import { makeApiToken } from '#src/actions/make-api-token.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { longestTokenName, mintTokenId } from '#src/operator/tokens.ts';

const lifetimes = [
  { days: 7, name: 'in a week' },
  { days: 30, name: 'in 30 days' },
  { days: 90, name: 'in 90 days' },
  { days: 365, name: 'in a year' },
];
const usualDays = 90;

/** Where there is one app, there is nothing to choose. */
function ChooseApps({ apps }: { apps: readonly AppName[] }) {
  if (apps.length < 2) return null;
  return (
    <fieldset className="stack-1">
      <legend>It reads</legend>
      <label className="flex items-baseline gap-2 font-normal">
        <input type="radio" name="apps" value="all" defaultChecked /> all apps, also those that are added later
      </label>
      <label className="flex items-baseline gap-2 font-normal">
        <input type="radio" name="apps" value="some" /> only these:
      </label>
      <div className="flex flex-wrap gap-x-4 gap-y-1 pl-6">
        {apps.map(({ id, name }) => (
          <label key={id} className="flex items-baseline gap-2 font-normal">
            <input type="checkbox" name="app" value={id} /> {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A plain form with an action: it works without JavaScript. */
export function MakeTokenForm({ apps }: { apps: readonly AppName[] }) {
  return (
    <details>
      <summary>Make a token</summary>
      <form action={makeApiToken} className="stack-3 pt-3">
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
        <ChooseApps apps={apps} />
        <button className="button-small">Make the token</button>
      </form>
    </details>
  );
}
