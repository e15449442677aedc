import 'server-only';

import { logoutPath } from '#src/server/http/addresses.ts';
import { answersAt } from '#src/server/http/file-rule.ts';
import type { Step } from '#src/server/adapter/step.ts';
import { onListening } from '#src/server/http/server-settings.ts';
import type { Shedding } from '#src/server/http/shedding.ts';
import type { Store } from '#src/store/open-store.ts';

import { access, accessOfFile } from './middleware/access.ts';
import { loginOffNotice, loginOffNoticeOfFile } from './middleware/login-off-notice.ts';
import { login } from './middleware/login.ts';
import { announceLogin, requireWayIn } from './start-login.ts';

/** Who may look, as a part of the server. */

export const loginOffStep: Step = { middleware: loginOffNotice(), file: loginOffNoticeOfFile };

/** What stands below is the operator's alone. */
export function accessSteps(shedding: Shedding): readonly Step[] {
  return [
    { middleware: login(shedding), file: answersAt(logoutPath) },
    { middleware: access(), file: accessOfFile },
  ];
}

/** @throws when there is no way to sign in */
export async function openDoor(store: Store): Promise<void> {
  await requireWayIn(store);
  onListening(() => void announceLogin(store));
}
