import { revokeApiToken } from '#src/access/actions/revoke-api-token.ts';
import { formatUtc } from '#src/ui/format-time.ts';
import { Moment } from '#src/ui/moment.tsx';
import { showToken, type ApiToken } from '#src/access/tokens.ts';
import { Table, type Column } from '#viewer/table.tsx';

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

type TokenTableProps = {
  readonly tokens: readonly ApiToken[];
  readonly apps: readonly NamedApp[];
  readonly now: number;
};

function listColumns({ apps, now }: Omit<TokenTableProps, 'tokens'>): readonly Column<ApiToken>[] {
  return [
    {
      head: 'Name',
      isRowName: true,
      cell: (token) => (
        <>
          {token.name} <span className="code text-quiet">{showToken(token)}</span>
        </>
      ),
    },
    { head: 'Allows', isPlain: true, cell: (token) => describeAllowed(token, apps) },
    { head: 'Made', cell: ({ created }) => <Moment time={created} now={now} isDense /> },
    {
      head: 'Last used',
      cell: ({ lastUsed }) => (lastUsed === undefined ? 'never' : <Moment time={lastUsed} now={now} isDense />),
    },
    { head: 'Ends', isPlain: true, cell: (token) => <Expiry token={token} now={now} /> },
    {
      head: 'Revoke',
      isHidden: true,
      cell: ({ id, name }) => (
        <form action={revokeApiToken}>
          <input type="hidden" name="id" value={id} />
          <button className="button-small" aria-label={`Revoke ${name}`}>
            Revoke
          </button>
        </form>
      ),
    },
  ];
}

export function TokenTable({ tokens, ...props }: TokenTableProps) {
  return <Table label="Tokens" columns={listColumns(props)} rows={tokens} keyOf={({ id }) => id} />;
}
