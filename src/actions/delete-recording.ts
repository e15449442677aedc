'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { flightsPath } from '#src/http/addresses.ts';
import { deleteAllFlights } from '#src/recorder/for-operator/delete-flights.ts';

export async function deleteRecording(): Promise<void> {
  await deleteAllFlights();
  redirect(flightsPath);
}
