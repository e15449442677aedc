import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';

import type { KnownSecret } from '#flight';

import { isSecretName } from '../flight/secret-names.ts';

/**
 * The secrets of this process's environment, which is that of the app: `run` starts it, and a plugin runs in it. They are compared
 * with what the app sends, in the memory of the thread that writes, and neither kept nor sent.
 */
type Variables = Readonly<Record<string, string | undefined>>;

/** What Next.js, Vite and Waku read. */
const files = [
  '.env',
  '.env.local',
  '.env.production',
  '.env.production.local',
  '.env.development',
  '.env.development.local',
];
/** Names that frameworks give to browsers, and what its name calls public. */
const givenToBrowsers = /^(?:NEXT_PUBLIC|VITE|WAKU_PUBLIC|PUBLIC|REACT_APP|EXPO_PUBLIC|GATSBY|NUXT_PUBLIC)_/;
const publicWords = /(?:^|_)(?:PUBLIC|PUBLISHABLE|ANON|SITE_?KEY|SITEKEY|CLIENT_?ID|SEARCH_?KEY)(?:_|$)/i;
/** Of a desktop and a shell. */
const ofSystem = /^(?:XDG|DBUS|SSH|GPG|npm)_|^SESSION_MANAGER$/;

/** A shorter value is found everywhere by chance. */
const shortest = 8;
const longest = 4_096;
/** An environment has a few dozen variables. */
const mostSecrets = 100;
const longestFile = 64 * 1024;

/** `true`, `1234`, `production`, `shop-staging`, `./keys`: nobody's secret, and on many pages. */
const ordinary = /^(?:\d+|[a-z]+(?:[-_. ][a-z]+)*|\.{0,2}\/[\w./-]*)$/i;

function isSecretValue(value: string): boolean {
  return value.length >= shortest && value.length <= longest && !ordinary.test(value);
}

/** Of an address its password is the secret, and the whole; without one it is no secret. */
function readAddress(value: string): string[] | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return undefined;
  const password = URL.canParse(value) ? new URL(value).password : '';
  if (password === '') return [];
  // As it is spelled.
  const spelled = /:\/\/[^/?#]*?:([^/?#]*)@/.exec(value)?.[1] ?? password;
  return [value, spelled];
}

/** The secrets among variables, those that a browser may have left out. */
export function chooseSecrets(variables: Variables): KnownSecret[] {
  const known = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const isPublic = ({ name }: KnownSecret) => givenToBrowsers.test(name) || publicWords.test(name);
  const open = new Set(known.filter(isPublic).map(({ value }) => value));
  const secrets = known.flatMap((one) => {
    const { name, value } = one;
    if (isPublic(one) || ofSystem.test(name) || open.has(value)) return [];
    const values = readAddress(value) ?? (isSecretName(name) ? [value] : []);
    return values.filter(isSecretValue).map((secret) => ({ name, value: secret }));
  });
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()].slice(0, mostSecrets);
}

function readFile(file: string): Variables {
  try {
    return parseEnv(readFileSync(file, 'utf8').slice(0, longestFile));
  } catch {
    // There is none, or it is not for us.
    return {};
  }
}

/** @param folder the app's */
export function readOwnSecrets(variables: Variables, folder: string): KnownSecret[] {
  const inFiles = files.map((name) => readFile(path.join(folder, name)));
  return chooseSecrets(Object.assign({}, ...inFiles, variables));
}
