/**
 * PostgreSQL's connection string as libpq takes it: `postgres://user:password@host:5432,standby:5432/database?sslmode=require`.
 * Several hosts are a primary and its standbys. `URL` alone does not know several.
 */
export type DatabaseUrl = {
  /** One connection string for each host, without what is only said of all of them. */
  readonly hosts: readonly string[];
  /** Without the password, and without parameters, which may hold another. */
  readonly shown: string;
  /** Whether the server that is talked to must accept writes. Only `target_session_attrs=any` says otherwise. */
  readonly mustBePrimary: boolean;
};

/** As many servers as anybody has; each is tried in turn before a connection fails. */
const mostHosts = 10;

/** The schema, who, which hosts, which database, how. A password may hold an `@` that was not escaped: the last one counts. */
const form = /^(postgres(?:ql)?):\/\/(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/** What libpq takes `sslmode` for: `require` encrypts and does not ask for a certificate that somebody vouches for. */
function writeParameters(parameters: URLSearchParams): string {
  const written = new URLSearchParams(parameters);
  written.delete('target_session_attrs');
  if (written.has('sslmode') && !written.has('uselibpqcompat')) written.set('uselibpqcompat', 'true');
  return written.size === 0 ? '' : `?${written.toString()}`;
}

/** Says whether this is PostgreSQL's address. Without a host it names the folder of a socket (`?host=/run/postgresql`). */
function isAddress(text: string): boolean {
  return URL.canParse(text.replace('@/', '@localhost/'));
}

export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, scheme, who, hosts, database = '', query = ''] = form.exec(text) ?? [];
  if (scheme === undefined || hosts === undefined || database.length < 2) return undefined;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  if (!['any', 'read-write', 'primary'].includes(attributes)) return undefined;
  const written = writeParameters(parameters);
  const names = hosts.split(',');
  const user = who === undefined ? '' : `${who.replaceAll('@', '%40')}@`;
  const addresses = names.map((name) => `postgres://${user}${name}${database}${written}`);
  if (names.length > mostHosts || !addresses.every(isAddress)) return undefined;
  return {
    hosts: addresses,
    shown: `postgres://${hosts}${database}`,
    mustBePrimary: attributes !== 'any',
  };
}
