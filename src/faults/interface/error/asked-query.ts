import { digestPath } from '#src/server/http/addresses.ts';
import { type Asked, readAskedPath, readAskedTime } from '#src/faults/digests/asked-time.ts';

/** What the address of a digest's page asks besides the digest: whose it is, about when and where. */
export type AskedQuery = {
  readonly app: string | undefined;
  /** As they were typed. */
  readonly at: string;
  readonly path: string;
  readonly asked: Asked;
  /** What was typed is no time. */
  readonly isNoTime: boolean;
};

/** As the API bounds them. */
const longestTyped = 1_000;

export function parseAskedQuery(query: string): AskedQuery {
  const fields = new URLSearchParams(query);
  const [at, path] = ['at', 'path'].map((name) => fields.get(name)?.trim().slice(0, longestTyped) ?? '');
  const time = readAskedTime(at ?? '');
  return {
    app: fields.get('app') ?? undefined,
    at: at ?? '',
    path: path ?? '',
    asked: { at: time, path: readAskedPath(path ?? '') },
    isNoTime: at !== '' && time === undefined,
  };
}

/** The page of a digest, with what was asked. */
export function formatAskedQuery(code: string, { app, at, path }: Pick<AskedQuery, 'app' | 'at' | 'path'>): string {
  const fields = Object.entries({ app, at, path }).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(fields).toString();
  return query === '' ? digestPath(code) : `${digestPath(code)}?${query}`;
}
