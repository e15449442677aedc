'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { addApp as add, type AddResult } from '#src/apps/apps.ts';
import { appPath } from '#src/server/http/addresses.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export type AddAppState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'refused';
      readonly reason: Extract<AddResult, { readonly type: 'refused' }>['reason'];
      /** As it was typed. */
      readonly name: string;
    };

/** Leads to the app's page, with what to do next. */
export async function addApp(_previous: unknown, form: FormData): Promise<AddAppState> {
  requireOperator();
  const name = form.get('name');
  if (typeof name !== 'string') return { status: 'refused', reason: 'name', name: '' };
  const result = await add(name);
  if (result.type === 'refused') return { status: 'refused', reason: result.reason, name };
  redirect(appPath(result.app.id));
}
