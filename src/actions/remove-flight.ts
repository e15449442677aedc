'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { deleteFlight } from '#src/recorder/for-operator/delete-flights.ts';

/** The id comes from the browser; what is none deletes nothing. */
export async function removeFlight(form: FormData): Promise<void> {
  const id = form.get('id');
  if (typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id)) await deleteFlight(Number(id));
  redirect('/flights');
}
