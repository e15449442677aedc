'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { findApp, renameApp as rename } from '#src/apps/apps.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export type RenameState = { readonly status: 'idle' | 'renamed' | 'not-a-name' | 'gone' };

export async function renameApp(_previous: unknown, form: FormData): Promise<RenameState> {
  requireOperator();
  const [id, name] = [form.get('id'), form.get('name')];
  if (typeof id !== 'string' || !(await findApp(id))) return { status: 'gone' };
  const renamed = typeof name === 'string' ? await rename(id, name) : undefined;
  if (!renamed) return { status: 'not-a-name' };
  rerenderRoute();
  return { status: 'renamed' };
}
