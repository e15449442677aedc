import { revokeApiToken } from '#src/actions/revoke-api-token.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { CopyText } from '#src/components/apps/copy-text.tsx';
import { EmptyState } from '#src/components/empty-state.tsx';
import { Moment } from '#src/components/moment.tsx';
import { readApiPath } from '#src/http/addresses.ts';
import type { RefusedTokens } from '#src/operator/refused-tokens.ts';
import { showToken, tokensLimit, type ApiToken, type MadeToken, type TokenProblem } from '#src/operator/tokens.ts';

import { MakeTokenForm } from './make-token-form.tsx';

const problems: Readonly<Record<TokenProblem, string>> = {
  name: 'No token was made: give it a name of at most 80 characters.',
  days: 'No token was made: that is not a number of days.',
  apps: 'No token was made: choose an app, or all apps.',
  'made-before':
    'The token of this form was made a moment ago, and is not made again. If nobody copied it, revoke it below.',
  'too-many': `No token was made: there are ${tokensLimit} already. Revoke one first.`,
};

/** What came of the form that was just sent. */
function MadeNow({ made }: { made: MadeToken | undefined }) {
  if (!made) return null;
  if (made.type === 'refused') return <p className="font-medium text-error">{problems[made.problem]}</p>;
  return (
    <>
      <p>The token “{made.token.name}” is made. It is not shown again: copy it now.</p>
      <CopyText text={{ what: 'the token', text: made.secret }} />
    </>
  );
}

function nameApps(token: ApiToken, apps: readonly AppName[]): string {
  if (!token.apps) return 'all apps';
  return token.apps.map((id) => apps.find((app) => app.id === id)?.name ?? id).join(', ');
}

function Expiry({ token: { expires }, now }: { token: ApiToken; now: number }) {
  if (expires === undefined) return <>never ends</>;
  return (
    <>
      {expires <= now ? <strong className="font-semibold text-error">ended</strong> : 'ends'}{' '}
      <Moment time={expires} now={now} isDense />
    </>
  );
}

type RowProps = { readonly token: ApiToken; readonly apps: readonly AppName[]; readonly now: number };

function TokenRow({ token, apps, now }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {token.name} <span className="code text-quiet">{showToken(token)}</span>
      </th>
      <td>{nameApps(token, apps)}</td>
      <td>
        <span className="sm:hidden">made </span>
        <Moment time={token.created} now={now} isDense />
      </td>
      <td>
        <span className="sm:hidden">last used </span>
        {token.lastUsed === undefined ? 'never' : <Moment time={token.lastUsed} now={now} isDense />}
      </td>
      <td>
        <Expiry token={token} now={now} />
      </td>
      <td>
        <form action={revokeApiToken}>
          <input type="hidden" name="id" value={token.id} />
          <button className="button-small" aria-label={`Revoke ${token.name}`}>
            Revoke
          </button>
        </form>
      </td>
    </tr>
  );
}

type ApiTokensProps = {
  readonly tokens: readonly ApiToken[];
  readonly made: MadeToken | undefined;
  readonly refused: RefusedTokens;
  readonly apps: readonly AppName[];
  readonly now: number;
};

/** Who may read through the API, and the form for one more. On a narrow screen each row folds. */
export function ApiTokens({ tokens, made, refused, apps, now }: ApiTokensProps) {
  return (
    <>
      <p className="text-sm text-quiet">
        A token lets a program read what these pages show, at <span className="code">{readApiPath}</span>, and change
        nothing. One that is revoked is refused at its next request.
      </p>
      <div role="status" className="stack-2">
        <MadeNow made={made} />
      </div>
      {tokens.length === 0 ? (
        <EmptyState title="There is no token">
          <p>Make one for a script, for the command line on another machine, or for a coding agent.</p>
        </EmptyState>
      ) : (
        <table className="fold" aria-label="Tokens of the API">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Reads</th>
              <th scope="col">Made</th>
              <th scope="col">Last used</th>
              <th scope="col">Ends</th>
              <th scope="col">
                <span className="sr-only">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} apps={apps} now={now} />
            ))}
          </tbody>
        </table>
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
