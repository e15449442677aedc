import 'server-only';

import { type RawBuilder, sql } from 'kysely';

/**
 * An app may have several packages that are released by themselves: `web@2.1.0` in browsers, `shop@1.0.0` on servers. One of them is
 * not the release before another. Releases without a package's name (`2.1.0`, a commit) are a stream of their own.
 * @returns which rows of `app_release` are of the same package as `release`
 */
export function isOfStream(release: string): RawBuilder<boolean> {
  const name = sql.ref('app_release.name');
  const start = release.slice(0, release.lastIndexOf('@') + 1);
  const [length, next] = [sql.lit(start.length), sql.lit(start.length + 1)];
  // A version has no @, so what is after the name has none either.
  return sql<boolean>`substr(${name}, 1, ${length}) = ${start} and substr(${name}, ${next}) not like '%@%'`;
}
