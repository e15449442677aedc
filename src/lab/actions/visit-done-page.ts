'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { experimentPath } from '#src/server/http/addresses.ts';

import { toVisitorKey } from './visitor-key.ts';

export async function visitDonePage(key: unknown): Promise<void> {
  redirect(`${experimentPath('actions', 'done')}?key=${toVisitorKey(key)}`);
}
