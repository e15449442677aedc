'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { addToken } from '#src/access/api-tokens.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { readTokenForm } from '#src/access/token-form.ts';

/** The page that answers shows the token, this once, or why there is none. */
export async function makeApiToken(form: FormData): Promise<void> {
  requireOperator();
  const known = (await listAppNames()).map(({ id }) => id);
  const chosen = form.getAll('app').filter((app) => typeof app === 'string');
  const isForAll = form.get('apps') !== 'some';
  await addToken({
    ...readTokenForm(form),
    allows: 'read',
    apps: isForAll ? undefined : known.filter((id) => chosen.includes(id)),
  });
  rerenderRoute();
}
