'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { endToken } from '#src/access/api-tokens.ts';
import { requireOperator } from '#src/access/require-operator.ts';

/** One that is not there was revoked already: the list shows it. */
export async function revokeApiToken(form: FormData): Promise<void> {
  requireOperator();
  const id = form.get('id');
  if (typeof id === 'string') await endToken(id);
  rerenderRoute();
}
