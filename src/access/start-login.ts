import 'server-only';

import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { mountPath } from '#src/server/http/addresses.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import type { Store } from '#src/store/open-store.ts';

import { tellParent } from '#src/server/http/announcement.ts';
import { createLoginLink, toLoginUrl } from './login-links.ts';
import { openBrowser } from './open-browser.ts';
import { operatorCommand } from './operator-command.ts';

/**
 * Whether somebody with access to the data folder has ever made a way to sign in: set a password, or asked for a login
 * link. This opens nothing by itself. A used or expired link counts too. Otherwise a server on the internet would not
 * start again after a reboot when its operator's last session is over.
 */
async function isSetUp({ db }: Store): Promise<boolean> {
  const password = await db.selectFrom('password').select('changed').limit(1).executeTakeFirst();
  const link = await db.selectFrom('login_link').select('created').limit(1).executeTakeFirst();
  return password !== undefined || link !== undefined;
}

function isBeside(): boolean {
  return readSetting('FLIGHT_BESIDE') !== undefined;
}

/**
 * Refuses to serve other machines as long as nobody could sign in. Without this, the operator would only notice when
 * trying to sign in.
 * @throws with one line that says what to do
 */
export async function requireWayIn(store: Store): Promise<void> {
  // Beside an app, the app serves others whatever this server does: who asks for a link later gets in.
  if (isBeside() || !isReachableByOthers(serverSettings()) || (await isSetUp(store))) return;
  throw new Error(
    'other machines can reach this server, and nobody could sign in to it. ' +
      `Run "${operatorCommand('login-link')}" with the same FLIGHT_DATA and BASE_URL, then start again. ` +
      '"password set" instead of "login-link" sets a password.',
  );
}

async function makeLink(store: Store, origin: string): Promise<string | undefined> {
  try {
    return toLoginUrl(origin, await createLoginLink(store));
  } catch (error) {
    // For example a full disk. People who are signed in can still read what is recorded.
    writeLog('error', 'no-login-link', { reason: describeError(error) });
    return undefined;
  }
}

/** @returns the login link that may be shown where this server was started */
async function printLogin(store: Store, origin: string): Promise<string | undefined> {
  const settings = serverSettings();
  if (settings.auth === 'off') {
    console.log('Sign-in is off (FLIGHT_AUTH=off): everybody on this machine is the operator.');
    return undefined;
  }
  if (isReachableByOthers(settings)) {
    console.log(`For a login link: ${operatorCommand('login-link')}`);
    return undefined;
  }
  const url = await makeLink(store, origin);
  if (url === undefined) return undefined;
  console.log(`Sign in with ${url} (once, within 15 minutes)`);
  if (process.stdout.isTTY) openBrowser(url);
  return url;
}

/**
 * On one's own machine, the terminal prints a link that signs in, and the browser opens it. A server's output is kept
 * and read by others, so there it only says how to ask for a link. A process that started this one is told the same.
 */
export async function announceLogin(store: Store): Promise<void> {
  const origin = publicOrigin(serverSettings());
  tellParent({ type: 'listening', origin: origin + mountPath, loginUrl: await printLogin(store, origin) });
}
