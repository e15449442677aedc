import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { CopyText } from '#src/ui/copy-text.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { readApiPath } from '#src/server/http/addresses.ts';
import type { RefusedTokens } from '#src/access/refused-tokens.ts';
import type { ApiToken, MadeToken } from '#src/access/tokens.ts';

import { tokenProblems } from '#src/access/interface/token-problems.ts';
import { TokenTable } from '#src/access/interface/token-table.tsx';
import { makeApiToken } from '#src/api/actions/make-api-token.ts';
import { TokenFields } from '#src/access/interface/token-fields.tsx';

/** What came of the form that was just sent. */
function MadeNow({ made }: { made: MadeToken | undefined }) {
  if (!made) return null;
  if (made.type === 'refused') return <p className="font-medium text-error">{tokenProblems[made.problem]}</p>;
  return (
    <>
      <p>The token “{made.token.name}” is made. It is not shown again: copy it now.</p>
      <CopyText text={{ what: 'the token', text: made.secret }} />
    </>
  );
}

type ApiTokensProps = {
  readonly tokens: readonly ApiToken[];
  readonly made: MadeToken | undefined;
  readonly refused: RefusedTokens;
  readonly apps: readonly AppName[];
  readonly now: number;
};

/** Shows the choice of apps. Where there is one app, there is nothing to choose. */
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
function MakeTokenForm({ apps }: { apps: readonly AppName[] }) {
  return (
    <details>
      <summary>Make a token</summary>
      <form action={makeApiToken} className="stack-3 pt-3">
        <TokenFields />
        <ChooseApps apps={apps} />
        <button className="button-small">Make the token</button>
      </form>
    </details>
  );
}

/** Who may read through the API, and the form for one more. On a narrow screen each row folds. */
export function ApiTokens({ tokens, made, refused, apps, now }: ApiTokensProps) {
  return (
    <>
      <p className="text-sm text-quiet">
        A token lets a program read what these pages show, at <span className="code">{readApiPath}</span>, and change
        nothing. One that is revoked is refused at its next request. Tokens that upload source maps are made on the page
        of their app, and listed here, too.
      </p>
      <div role="status" className="stack-2">
        <MadeNow made={made} />
      </div>
      {tokens.length === 0 ? (
        <EmptyState title="There is no token">
          <p>Make one for a script, for the command line on another machine, or for a coding agent.</p>
        </EmptyState>
      ) : (
        <TokenTable tokens={tokens} apps={apps} now={now} />
      )}
      <MakeTokenForm apps={apps} />
      {refused.last === undefined ? null : (
        <p className="text-sm text-quiet">
          Refused since this server started: {refused.count}, the last <Moment time={refused.last.time} now={now} />{' '}
          from <span className="code">{refused.last.address || 'an unknown address'}</span>.
        </p>
      )}
    </>
  );
}
