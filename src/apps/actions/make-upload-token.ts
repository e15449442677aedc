'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { findApp } from '#src/apps/apps.ts';
import { addToken } from '#src/access/api-tokens.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { readTokenForm } from '#src/access/token-form.ts';

/** The page that answers shows the token, this once, or why there is none. An app that is gone has no page that could. */
export async function makeUploadToken(form: FormData): Promise<void> {
  requireOperator();
  const id = form.get('app');
  const app = typeof id === 'string' ? await findApp(id) : undefined;
  if (app) await addToken({ ...readTokenForm(form), allows: 'upload', apps: [app.id] });
  rerenderRoute();
}
