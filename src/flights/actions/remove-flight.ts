'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { flightsPath } from '#src/server/http/addresses.ts';
import { deleteFlight } from '#src/flights/for-operator/delete-flights.ts';

/** The id comes from the browser. Text that is not an id deletes nothing. */
export async function removeFlight(form: FormData): Promise<void> {
  const id = form.get('id');
  if (typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id)) await deleteFlight(Number(id));
  redirect(flightsPath);
}
