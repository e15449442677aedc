'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { flightsPath } from '#src/server/http/addresses.ts';
import { deleteAllFlights } from '#src/flights/for-operator/delete-flights.ts';

export async function deleteRecording(): Promise<void> {
  await deleteAllFlights();
  redirect(flightsPath);
}
