'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { findApp } from '#src/apps/apps.ts';
import { deleteApp as deleteWithData } from '#src/apps/delete-app.ts';
import type { DeleteAppState } from '#src/apps/interface/delete-app-form.tsx';
import { appsPath } from '#src/server/http/addresses.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { deleteAppFlights } from '#src/flights/recorder/delete-app-flights.ts';

/** The app's name has to be typed. The list of apps then says how far the deletion is. */
export async function deleteApp(_previous: unknown, form: FormData): Promise<DeleteAppState> {
  requireOperator();
  const [id, name] = [form.get('id'), form.get('name')];
  const app = typeof id === 'string' ? await findApp(id) : undefined;
  if (app && (typeof name !== 'string' || name.trim() !== app.name)) return { status: 'wrong-name' };
  if (app) await deleteWithData(app.id, deleteAppFlights);
  redirect(appsPath);
}
