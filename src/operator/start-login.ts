import 'server-only';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { isBeyondLoopback, publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import type { Store } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl } from './login-links.ts';
import { openBrowser } from './open-browser.ts';
import { operatorCommand } from './operator-command.ts';

/**
 * Whether somebody with access to the data folder has made a way in: set a password, or asked for a login link, ever.
 * It opens nothing by itself. A used or expired link counts too, or a server on the internet would not come back from a
 * reboot when its operator's last session is over.
 */
async function isSetUp({ db }: Store): Promise<boolean> {
  const password = await db.selectFrom('password').select('changed').limit(1).executeTakeFirst();
  const link = await db.selectFrom('login_link').select('created').limit(1).executeTakeFirst();
  return password !== undefined || link !== undefined;
}

/**
 * Refuses to serve other machines as long as nobody could sign in: whoever runs it would find that out last.
 * @throws with one line that says what to do
 */
export async function requireWayIn(store: Store): Promise<void> {
  if (!isBeyondLoopback(serverSettings()) || (await isSetUp(store))) return;
  throw new Error(
    'other machines can reach this server, and nobody could sign in to it. ' +
      `Run "${operatorCommand('login-link')}" with the same FLIGHT_DATA and BASE_URL, then start again. ` +
      '"password set" instead of "login-link" sets a password.',
  );
}

/**
 * On one's own machine the terminal gets a link that signs in, and so does the browser. A server's output is kept and
 * read by others, so there it only says where to ask for one.
 */
export async function announceLogin(store: Store): Promise<void> {
  const settings = serverSettings();
  if (settings.auth === 'off') {
    console.log('Sign-in is off (FLIGHT_AUTH=off): everybody on this machine is the operator.');
    return;
  }
  if (isBeyondLoopback(settings)) {
    console.log(`For a login link: ${operatorCommand('login-link')}`);
    return;
  }
  try {
    const url = toLoginUrl(publicOrigin(settings), await createLoginLink(store));
    console.log(`Sign in with ${url} (once, within 15 minutes)`);
    if (process.stdout.isTTY) openBrowser(url);
  } catch (error) {
    // A full disk, say. What is recorded can still be read by whoever is signed in.
    writeLog('error', 'no-login-link', { reason: describeError(error) });
  }
}
