import 'server-only';

/** About when it was, and on which page, as somebody says it who wants one of several errors with the same digest. */
export type AskedTime = {
  /** As it was said, in milliseconds since 1970. */
  readonly time: number;
  /** What it stands for: a minute, a second or a millisecond. */
  readonly stepMs: number;
};

export type Asked = {
  readonly at: AskedTime | undefined;
  /** The path of a page, without its query. */
  readonly path: string | undefined;
};

/** As `datetime-local` sends it, as this interface shows times, and as the API writes them. */
export const askedTimePattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** `2026-11-23T15:04`, with seconds or without, in UTC where it names no zone: as the interface shows times. */
export function readAskedTime(text: string): AskedTime | undefined {
  const match = askedTimePattern.exec(text.trim().replace(/ UTC$/i, 'Z'));
  if (!match) return undefined;
  const [, day = '', clock = '', seconds, fraction = '', zone = 'Z'] = match;
  const time = Date.parse(`${day}T${clock}:${seconds ?? '00'}${fraction}${zone}`);
  if (!Number.isFinite(time)) return undefined;
  return { time, stepMs: seconds === undefined ? 60_000 : fraction === '' ? 1_000 : 1 };
}

/** The path of what somebody typed or pasted: also of a whole address. Undefined for nothing. */
export function readAskedPath(text: string): string | undefined {
  const path = text
    .trim()
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '');
  if (path === '' && text.trim() === '') return undefined;
  return toPath(path);
}

/** Longer ones differ in their queries. */
export const longestPath = 1_000;

/** Takes the query and the slashes at the end off a path. */
export function toPath(path: string): string {
  const bounded = path.slice(0, longestPath);
  const query = bounded.search(/[?#]/);
  let end = query < 0 ? bounded.length : query;
  while (end > 0 && bounded[end - 1] === '/') end -= 1;
  const plain = bounded.slice(0, end);
  return plain.startsWith('/') ? plain : `/${plain}`;
}
