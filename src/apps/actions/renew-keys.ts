'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { renewKeys as renew } from '#src/apps/apps.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export type RenewState = { readonly status: 'idle' | 'renewed' | 'not-sure' | 'gone' };

/** The form asks a second time; a request without the answer changes nothing. */
export async function renewKeys(_previous: unknown, form: FormData): Promise<RenewState> {
  requireOperator();
  const id = form.get('id');
  if (form.get('sure') !== 'yes') return { status: 'not-sure' };
  if (typeof id !== 'string' || !(await renew(id))) return { status: 'gone' };
  rerenderRoute();
  return { status: 'renewed' };
}
