'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { addToken } from '#src/operator/api-tokens.ts';
import { requireOperator } from '#src/operator/require-operator.ts';

/** As the form writes it: a number of days, or nothing for no end. What is no number is refused with the others that are none. */
function readDays(value: FormDataEntryValue | null): number | undefined {
  return value === '' ? undefined : Number(value);
}

/** The page that answers shows the token, this once, or why there is none. */
export async function makeApiToken(form: FormData): Promise<void> {
  requireOperator();
  const [name, tokenId] = [form.get('name'), form.get('id')];
  const known = (await listAppNames()).map(({ id }) => id);
  const chosen = form.getAll('app').filter((app) => typeof app === 'string');
  const isForAll = form.get('apps') !== 'some';
  await addToken({
    name: typeof name === 'string' ? name : '',
    apps: isForAll ? undefined : known.filter((id) => chosen.includes(id)),
    days: readDays(form.get('days')),
    id: typeof tokenId === 'string' ? tokenId : undefined,
  });
  rerenderRoute();
}
