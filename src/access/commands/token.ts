import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { escapeText } from '#boundary';
import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { hasServer } from '#src/store/instance.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import {
  longestDays,
  longestTokenName,
  makeToken,
  readTokens,
  revokeAllTokens,
  revokeToken,
  showToken,
  tokensLimit,
  type ApiToken,
  type NewToken,
  type TokenProblem,
} from '../tokens.ts';

/** As the page's form has it. */
const usualDays = 90;
/** With or without what stands around the name in a list, and also a whole token, which somebody may have at hand. */
const namePattern = /^(?:fl[ru]_)?([0-9a-hjkmnp-tv-z]{8})(?:_\S*)?$/;

function describe(problem: TokenProblem): string {
  switch (problem) {
    case 'name':
      return `a token has a name of at most ${longestTokenName} characters`;
    case 'days':
      return `--days is a number from 1 to ${longestDays}, or never`;
    case 'apps':
      return 'name an app with --app, or none for all apps';
    case 'made-before':
      return 'there is such a token already';
    case 'too-many':
      return `there are ${tokensLimit} tokens already; revoke one first`;
  }
}

/** Undefined: called wrongly. */
function readNew(args: readonly string[]): NewToken | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        days: { type: 'string' },
        app: { type: 'string', multiple: true },
        upload: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) return undefined;
    const { days = String(usualDays), app, upload } = values;
    return { name, allows: upload ? 'upload' : 'read', apps: app, days: days === 'never' ? undefined : Number(days) };
  } catch {
    // An option that is not known, or without its value.
    return undefined;
  }
}

function hasFlawOf(problem: TokenProblem, { allows }: NewToken): string {
  return problem === 'apps' && allows === 'upload'
    ? 'an upload token is for one app: name it with --app'
    : describe(problem);
}

async function create(store: Store, asked: NewToken): Promise<number> {
  const rows = await store.db.selectFrom('app').select('id').execute();
  const known = new Set([ownApp, ...rows.map(({ id }) => id)]);
  const missing = asked.apps?.find((id) => !known.has(id));
  if (missing !== undefined) throw new Error(`there is no app ${missing}; there are: ${[...known].join(', ')}`);
  const made = await makeToken(store, asked);
  if (made.type === 'refused') throw new Error(`${hasFlawOf(made.problem, asked)}; no token was made`);
  // Only this line, so that a script can take it.
  process.stdout.write(`${made.secret}\n`);
  process.stderr.write(`flight-recorder: this is the only time that ${showToken(made.token)} is shown\n`);
  return 0;
}

function formatTime(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function formatToken(token: ApiToken): string {
  const { name, allows, apps, created, expires, lastUsed } = token;
  const ends = expires === undefined ? 'never ends      ' : `ends ${formatTime(expires)} `;
  const used = lastUsed === undefined ? 'never used     ' : `used ${formatTime(lastUsed)}`;
  const of = apps ? apps.join(',') : 'all apps';
  const reads = `${allows === 'read' ? 'reads' : 'uploads to'} ${of}`;
  return `${showToken(token)}  made ${formatTime(created)}  ${ends} ${used}  ${reads}  ${escapeText(name)}\n`;
}

async function list(store: Store): Promise<number> {
  const tokens = await readTokens(store);
  process.stdout.write(tokens.length > 0 ? tokens.map(formatToken).join('') : 'There is no token.\n');
  return 0;
}

async function revoke(store: Store, id: string): Promise<number> {
  if (!(await revokeToken(store, id))) throw new Error(`there is no token ${id}`);
  process.stdout.write('1 token revoked.\n');
  return 0;
}

async function revokeAll(store: Store): Promise<number> {
  const ended = await revokeAllTokens(store);
  process.stdout.write(`${ended} token${ended === 1 ? '' : 's'} revoked.\n`);
  return 0;
}

function chooseRun([verb, ...args]: readonly string[]): ((store: Store) => Promise<number>) | undefined {
  if (verb === 'list') return args.length === 0 ? list : undefined;
  if (verb === 'create') {
    const asked = readNew(args);
    return asked && ((store) => create(store, asked));
  }
  if (verb === 'revoke' && args.length === 1 && args[0] === '--all') return revokeAll;
  const id = verb === 'revoke' && args.length === 1 ? namePattern.exec(args[0] ?? '')?.[1] : undefined;
  return id === undefined ? undefined : (store) => revoke(store, id);
}

/**
 * A token of another folder than the server's opens nothing. A server for other machines may need one before its first start; where one
 * for this machine alone has never run, a missing database means the wrong folder, and nothing is made.
 * @throws when there is no database
 */
function requireData(): void {
  if (readSetting('DATABASE_URL') !== undefined) return;
  const folder = dataFolder();
  // A server makes its database with the first thing that it stores.
  if (existsSync(path.join(folder, 'flight.db')) || hasServer(folder)) return;
  if (isReachableByOthers(serverSettings())) return;
  throw new Error(`there is no database in ${folder}: no server has run on it. Name its folder with FLIGHT_DATA`);
}

/** `token create`, `token list`, `token revoke`: tokens of the API, which reads and changes nothing, and those that upload source maps. */
export async function manageTokens(args: readonly string[]): Promise<number> {
  const run = chooseRun(args);
  if (!run) return 2;
  requireData();
  const store = await openStore();
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
