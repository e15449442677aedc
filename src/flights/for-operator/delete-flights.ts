import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';

import { currentWriter } from '../recorder/recorder.ts';

/** Resolves when the flight's bytes are in no file any more; also when there was no such flight. */
export async function deleteFlight(id: number): Promise<void> {
  requireOperator();
  await currentWriter().ask({ type: 'delete', id });
}

export async function deleteAllFlights(): Promise<void> {
  requireOperator();
  await currentWriter().ask({ type: 'delete-all' });
}
