'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { revokeOtherSessions as revokeOthers } from '#src/access/signed-in.ts';

export async function revokeOtherSessions(): Promise<void> {
  await revokeOthers();
  rerenderRoute();
}
