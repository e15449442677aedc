import 'server-only';

import type { Store } from '#src/store/open-store.ts';

/**
 * Whether somebody with access to the data folder has made a way in: set a password, or asked for a login link, ever.
 * It opens nothing by itself. A used or expired link counts too, or a server on the internet would not come back from a
 * reboot when its operator's last session is over.
 */
export async function isSetUp({ db }: Store): Promise<boolean> {
  const found = await Promise.all([
    db.selectFrom('password').select('changed as time').limit(1).executeTakeFirst(),
    db.selectFrom('login_link').select('created as time').limit(1).executeTakeFirst(),
    db.selectFrom('session').select('created as time').limit(1).executeTakeFirst(),
  ]);
  return found.some((row) => row !== undefined);
}
