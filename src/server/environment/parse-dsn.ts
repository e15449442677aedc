/**
 * A Sentry DSN: `https://<public key>@<host>/<prefix>/<project>`. The SDKs demand that the project is a number and the
 * key a word.
 */
export type Dsn = {
  /** Without a password, default port or trailing slash, so that two spellings of one address are equal here. */
  readonly normal: string;
  readonly publicKey: string;
  readonly project: string;
  /** The address to which its envelopes are posted. */
  readonly endpoint: string;
};

export function parseDsn(text: string): Dsn | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) return undefined;
  const parts = url.pathname.replace(/\/$/, '').split('/');
  const project = parts.pop() ?? '';
  const prefix = parts.join('/');
  if (!/^\w+$/.test(url.username) || !/^\d+$/.test(project)) return undefined;
  return {
    normal: `${url.protocol}//${url.username}@${url.host}${prefix}/${project}`,
    publicKey: url.username,
    project,
    // oxlint-disable-next-line house/addresses -- it is the address at Sentry
    endpoint: `${url.protocol}//${url.host}${prefix}/api/${project}/envelope/`,
  };
}
