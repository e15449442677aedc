import 'server-only';

import { escapeText } from '#boundary';
import { openStore } from '#src/store/open-store.ts';

import { sessionsOf, type Session, type Sessions } from '../sessions.ts';

/** How many characters of a session's name are shown. A command must give at least as many to name a session. */
const shownLength = 12;
const namePattern = /^[0-9a-f]{8,64}$/;

function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function formatSession({ id, openedBy, created, lastSeen, address, userAgent }: Session): string {
  const how = openedBy === 'login-link' ? 'link    ' : 'password';
  const times = `opened ${formatTime(created)}  seen ${formatTime(lastSeen)}`;
  // The text comes from a browser and could contain terminal codes.
  return `${id.slice(0, shownLength)}  ${how}  ${times}  ${escapeText(address) || '-'}  ${escapeText(userAgent)}\n`;
}

async function listSessions(sessions: Sessions): Promise<number> {
  const live = await sessions.list();
  process.stdout.write(live.length > 0 ? live.map(formatSession).join('') : 'Nobody is signed in.\n');
  return 0;
}

async function revokeSession(sessions: Sessions, name: string): Promise<number> {
  if (!namePattern.test(name)) return 2;
  const meant = (await sessions.list()).filter(({ id }) => id.startsWith(name));
  if (meant.length !== 1) {
    throw new Error(meant.length === 0 ? `there is no session ${name}` : `${meant.length} sessions begin with ${name}`);
  }
  await sessions.revoke(meant.map(({ id }) => id));
  process.stdout.write('1 session ended.\n');
  return 0;
}

async function revokeAll(sessions: Sessions): Promise<number> {
  const ended = await sessions.revokeAll();
  process.stdout.write(`${ended} session${ended === 1 ? '' : 's'} ended.\n`);
  return 0;
}

/** `sessions list`, `sessions revoke <id>`, `sessions revoke --all`. A revoked session ends at its next request. */
export async function manageSessions(args: readonly string[]): Promise<number> {
  const [verb, name, ...rest] = args;
  const isList = verb === 'list' && name === undefined;
  if (rest.length > 0 || !(isList || (verb === 'revoke' && name !== undefined))) return 2;
  const store = await openStore();
  try {
    const sessions = sessionsOf(store);
    if (name === undefined) return await listSessions(sessions);
    return await (name === '--all' ? revokeAll(sessions) : revokeSession(sessions, name));
  } finally {
    await store.close();
  }
}
