'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { toVisitorKey } from './visitor-key.ts';

export async function visitDonePage(key: unknown): Promise<void> {
  redirect(`/lab/actions-done?key=${toVisitorKey(key)}`);
}
