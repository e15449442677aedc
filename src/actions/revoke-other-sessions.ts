'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { revokeOtherSessions as revokeOthers } from '#src/operator/signed-in.ts';

export async function revokeOtherSessions(): Promise<void> {
  await revokeOthers();
  rerenderRoute();
}
