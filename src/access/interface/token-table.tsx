import { revokeApiToken } from '#src/access/actions/revoke-api-token.ts';
import { formatUtc } from '#src/ui/format-time.ts';
import { Moment } from '#src/ui/moment.tsx';
import { showToken, type ApiToken } from '#src/access/tokens.ts';
import { TableHead } from '#viewer/table-head.tsx';

type NamedApp = { readonly id: string; readonly name: string };

function describeAllowed(token: ApiToken, apps: readonly NamedApp[]): string {
  const names = token.apps?.map((id) => apps.find((app) => app.id === id)?.name ?? id).join(', ') ?? 'all apps';
  switch (token.allows) {
    case 'read':
      return `reads ${names}`;
    case 'upload':
      return `uploads source maps of ${names}`;
  }
}

function Expiry({ token: { expires }, now }: { token: ApiToken; now: number }) {
  if (expires === undefined) return <>never ends</>;
  // An age is of the past alone.
  if (expires > now) return <>ends {formatUtc(expires).slice(0, 10)}</>;
  return (
    <>
      <strong className="font-semibold text-error">ended</strong> <Moment time={expires} now={now} isDense />
    </>
  );
}

type RowProps = { readonly token: ApiToken; readonly apps: readonly NamedApp[]; readonly now: number };

function TokenRow({ token, apps, now }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {token.name} <span className="code text-quiet">{showToken(token)}</span>
      </th>
      <td>{describeAllowed(token, apps)}</td>
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

type TokenTableProps = {
  readonly tokens: readonly ApiToken[];
  readonly apps: readonly NamedApp[];
  readonly now: number;
};

/** On a narrow screen each row folds. */
export function TokenTable({ tokens, apps, now }: TokenTableProps) {
  return (
    <table className="fold" aria-label="Tokens">
      <TableHead columns={['Name', 'Allows', 'Made', 'Last used', 'Ends', { hidden: 'Revoke' }]} />
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} apps={apps} now={now} />
        ))}
      </tbody>
    </table>
  );
}
