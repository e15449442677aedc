/**
 * Where a sender of another app sends to, and under which key, in one text that fits into an environment variable:
 * `FLIGHT_RECORDER=http://<secret key>@127.0.0.1:4000/<app>`. A mount path may stand before the app. This module runs inside
 * other people's apps, so it imports nothing.
 */
export type RecorderAddress = {
  /** Of the interface, with its mount path, without a slash at its end. */
  readonly base: string;
  readonly app: string;
  readonly key: string;
};

/** A URL that is longer is none of ours: the longest key, app and host name are a fifth of it. */
const longestUrl = 2_000;
/** As apps.ts makes them: no character that a URL would encode. */
const keyPattern = /^[a-z0-9]+$/;

/** Returns undefined when `text` is not such an address. */
export function parseRecorderUrl(text: string): RecorderAddress | undefined {
  if (text.length > longestUrl || !URL.canParse(text)) return undefined;
  const { protocol, host, pathname, username, password } = new URL(text);
  const [, mount = '', app = ''] = /^(.*)\/([a-z0-9-]+)\/?$/.exec(pathname) ?? [];
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp || !keyPattern.test(username) || password !== '' || app === '') return undefined;
  return { base: `${protocol}//${host}${mount}`, app, key: username };
}

export function formatRecorderUrl({ base, app, key }: RecorderAddress): string {
  const { protocol, host, pathname } = new URL(base);
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, '')}/${app}`;
}
